import { registerHooks } from 'node:module';
// What is registered later is asked first.
import '../../../tools/swc-hook.mjs';

const EDITOR = new URL('plain-editor.tsx', import.meta.url).href;

// What components import, but only a browser or a bundler understands.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/code-editor.tsx') ? { url: EDITOR, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url.endsWith('.css')
      ? { format: 'module', source: 'export {};', shortCircuit: true }
      : next(url, context),
});
