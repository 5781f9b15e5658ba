/** How swc compiles the API for development and tests; production is compiled by tsc (build-api.mjs). */
export const swcOptions = {
  swcrc: false,
  configFile: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2024',
    keepClassNames: true,
    experimental: { keepImportAttributes: true },
    parser: { syntax: 'typescript', decorators: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      // With true, every absent field of a DTO would exist as undefined.
      useDefineForClassFields: false,
    },
  },
};

const { jsc } = swcOptions;

/** The components of the console, for tests; Vite compiles them otherwise. */
export const reactOptions = {
  ...swcOptions,
  jsc: {
    ...jsc,
    parser: { ...jsc.parser, tsx: true },
    transform: { ...jsc.transform, react: { runtime: 'automatic' } },
  },
};
