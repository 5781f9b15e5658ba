// Compiles a library that is published: ES modules and types by tsc in dist/, and the same as CommonJS in dist/cjs/.
// Libraries of this repository that it needs only for development become part of it. The working directory is the library.
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { transformSync } from '@swc/core';
import { run } from './processes.mjs';

rmSync('dist', { recursive: true, force: true });
const { code } = await run('tsc', ['-p', 'tsconfig.build.json']);
if (code !== 0) process.exit(code);

const { devDependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const name of Object.keys(devDependencies)) if (name.startsWith('@platform/')) includeLibrary(name);

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

/** Copies the files of another library into a folder of this one, and imports them from there. */
function includeLibrary(name) {
  const folder = name.slice(name.indexOf('/') + 1);
  const ownFiles = globSync('**/*.{js,d.ts}', { cwd: 'dist' });
  const source = join('..', folder, 'dist');
  for (const file of globSync('**/*.{js,d.ts}', { cwd: source, exclude: ['cjs/**'] })) {
    const target = join('dist', folder, file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(source, file), target);
  }
  for (const file of ownFiles) {
    const path = join('dist', file);
    const entry = posix.join(posix.relative(posix.dirname(file), '.') || '.', folder, 'index.js');
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replaceAll(/(['"])(@platform\/[\w-]+)\1/g, (all, quote, imported) =>
        imported === name ? `${quote}${entry.startsWith('.') ? entry : `./${entry}`}${quote}` : all,
      ),
    );
  }
}
