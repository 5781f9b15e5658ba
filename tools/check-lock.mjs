// npm can write a lockfile that `npm ci` rejects, because it lacks optional packages of other platforms. Finds them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'));

/** Whether a package at `path` can resolve `name`, in its own folder or in one above. */
function resolves(path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[join(folder, 'node_modules', name)] !== undefined) return true;
    if (folder === '') return false;
  }
}

const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.keys(optionalDependencies)
    .filter((name) => !resolves(path, name))
    .map((name) => `${name}, wanted by ${path || 'package.json'}`),
);
for (const line of missing) console.error(`missing in package-lock.json: ${line}`);
if (missing.length > 0) process.exit(1);
