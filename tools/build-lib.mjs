// Compiles a library that is published: ES modules and types by tsc in dist/, and the same as CommonJS in dist/cjs/.
// The working directory is the library.
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';
import { run } from './processes.mjs';

rmSync('dist', { recursive: true, force: true });
const { code } = await run('tsc', ['-p', 'tsconfig.build.json']);
if (code !== 0) process.exit(code);

for (const file of globSync('**/*.{js,d.ts}', { cwd: 'dist' })) {
  const target = join('dist', 'cjs', file);
  mkdirSync(dirname(target), { recursive: true });
  if (file.endsWith('.d.ts')) copyFileSync(join('dist', file), target);
  else {
    const { code: text } = transformSync(readFileSync(join('dist', file), 'utf8'), {
      swcrc: false,
      configFile: false,
      module: { type: 'commonjs' },
      jsc: { target: 'es2024', parser: { syntax: 'ecmascript' } },
    });
    writeFileSync(target, text);
  }
}
// The type of the package itself is "module".
writeFileSync(join('dist', 'cjs', 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
