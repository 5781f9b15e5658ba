import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';
import { literalTexts } from './tools/jsx-text.mjs';
import { folderOrder, moduleOrder } from './tools/module-order.mjs';

const noForwardRef = {
  group: ['@nestjs/common'],
  importNames: ['forwardRef'],
  message: 'The modules have a fixed order; forwardRef would hide a cycle.',
};
const noPacking = {
  selector:
    ':matches(ArrayExpression > SpreadElement > ArrayExpression, ObjectExpression > SpreadElement > ObjectExpression)',
  message: 'A literal inside a literal needs no spread.',
};
const noApps = { regex: 'apps/', message: 'Apps must not be imported.' };
const noNode = { regex: '^node:', message: 'This library also runs in the browser.' };
const noNest = {
  regex: '^(@nestjs|typeorm|class-)',
  message: 'Shared libraries must not depend on the server.',
};

/** A part that cannot be loaded would end the page, with all that was entered. */
const noLazy = { name: 'react', importNames: ['lazy'], message: 'Use lazyPart of ui/layout/lazy-part.tsx' };
const restricted = (...patterns) => ({
  '@typescript-eslint/no-restricted-imports': ['error', { patterns }],
});

/** Returns the import restriction of a module: the modules after it. */
function laterModules(module) {
  const later = moduleOrder.slice(moduleOrder.indexOf(module) + 1);
  return later.length === 0
    ? []
    : [
        {
          regex: `^(\\.\\./)+(${later.join('|')})/`,
          message: `${module}/ comes before that module: see tools/module-order.mjs`,
        },
      ];
}

/** Returns the import restriction of a folder in a module: the folders after it, and the files of the module itself. */
function laterFolders(module, folder, up) {
  const later = folderOrder[module].slice(folderOrder[module].indexOf(folder) + 1);
  const names = [...later.map((name) => `${name}/`), '[a-z.-]+\\.ts$'];
  return {
    regex: `^(\\.\\./){${up}}(${names.join('|')})`,
    message: `${module}/${folder}/ comes before that: see tools/module-order.mjs`,
  };
}

// One zone per module, one per ordered folder in it, and one for the folders below that. ESLint does not merge the options of
// a rule: only the last zone that matches a file applies, so each contains the complete list.
const zones = moduleOrder.flatMap((module) => {
  const zone = (files, ...patterns) => ({
    files: [`apps/api/src/${module}/${files}`],
    rules: restricted(noForwardRef, noApps, ...laterModules(module), ...patterns),
  });
  const folders = (folderOrder[module] ?? []).flatMap((folder) => [
    zone(`${folder}/*.ts`, laterFolders(module, folder, 1)),
    zone(`${folder}/*/**/*.ts`, laterFolders(module, folder, 2)),
  ]);
  return [zone('**/*.ts'), ...folders];
});

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '.platform/**', 'coverage/**'] },
  js.configs.recommended,
  {
    rules: {
      'no-restricted-syntax': ['error', noPacking],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // An interface can require a promise although an implementation has nothing to await.
      '@typescript-eslint/require-await': 'off',
      // The rule does not support Promise.withResolvers<void>().
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
    },
  },
  {
    // Entities and DTOs are classes for TypeORM and Swagger only. They have no methods, so plain objects of the same shape
    // can take their place. Nest's own options are declared as classes, too.
    files: ['apps/api/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
    },
  },
  {
    // Jest matchers such as expect.any(String) have the type any.
    files: ['**/*.spec.ts', '**/*.{e2e,faults}-spec.ts'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  ...zones,
  { files: ['libs/*/src/**/*.ts'], rules: restricted(noApps, noNode, noNest) },
  // Runs on the server only, and validates its configuration with class-validator.
  { files: ['libs/speech/src/**/*.ts'], rules: restricted(noApps) },
  // Tests always run in Node.js.
  { files: ['libs/*/src/**/*.spec.ts'], rules: restricted(noApps, noNest) },
  {
    files: ['apps/console/public/*.js'],
    languageOptions: {
      globals: { document: 'readonly', localStorage: 'readonly', matchMedia: 'readonly' },
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        performance: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        TextDecoder: 'readonly',
        setImmediate: 'readonly',
      },
    },
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }] },
  },
  prettier,
  // After its configuration, which turns the rule off: Prettier breaks code, not comments.
  { rules: { 'max-len': ['error', { code: 10_000, comments: 140, ignoreUrls: true }] } },
  {
    files: ['apps/console/src/**/*.{ts,tsx}'],
    ignores: ['**/*.spec.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { paths: [noLazy] }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', noPacking, ...literalTexts],
    },
  },
  {
    files: ['apps/console/src/ui/layout/lazy-part.tsx'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
);
