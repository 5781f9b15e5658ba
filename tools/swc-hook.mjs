// Lets Node run the API's TypeScript with decorator metadata: node --import ./tools/swc-hook.mjs
// What was compiled is kept in node_modules/.cache, which takes a quarter off each later start.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, flushCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { reactOptions, swcOptions } from './swc-options.mjs';

const FLUSH_MS = 5_000;

const require = createRequire(import.meta.url);
const { version } = require('@swc/core/package.json');
const cache = join(import.meta.dirname, '../node_modules/.cache');
const compiled = join(cache, 'swc');
mkdirSync(compiled, { recursive: true });
enableCompileCache(join(cache, 'v8'));
// Otherwise only a process that ends by itself writes its cache, and many tests kill theirs.
setTimeout(flushCompileCache, FLUSH_MS).unref();

/** The file with the source map of each module that was compiled. */
export const sourceMaps = new Map();

registerHooks({
  /** What TypeScript imports from TypeScript is the file of that name. To have Node.js look it up makes a start longer. */
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (!specifier.startsWith('.') || !isOurs(specifier) || !isOurs(parentURL))
      return next(specifier, context);
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!isOurs(url)) return next(url, context);
    const { file, source } = compile(fileURLToPath(url));
    sourceMaps.set(url, `${file}.map`);
    return { format: 'module', shortCircuit: true, source };
  },
});

function isOurs(url) {
  return (url.endsWith('.ts') || url.endsWith('.tsx')) && !url.includes('/node_modules/');
}

function compile(filename) {
  const source = readFileSync(filename, 'utf8');
  const options = { ...(filename.endsWith('.tsx') ? reactOptions : swcOptions), filename, sourceMaps: true };
  const key = createHash('sha256')
    .update(JSON.stringify([version, options, source]))
    .digest('hex');
  const kept = join(compiled, `${key}.js`);
  try {
    return { file: kept, source: readFileSync(kept, 'utf8') };
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  // Only now, because loading the compiler takes a while itself.
  const { code, map } = require('@swc/core').transformSync(source, options);
  const compiledSource = `${code}\n//# sourceMappingURL=${pathToFileURL(kept).href}.map`;
  write(`${kept}.map`, map);
  write(kept, compiledSource);
  return { file: kept, source: compiledSource };
}

/** Other processes never see half of it. */
function write(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}
