// Writes docs/openapi.json from the API, and the types of libs/contracts from docs/openapi.json. With --check, only reports
// whether the committed files are up to date; then the API must be compiled.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { contractTypes } from './contract-types.mjs';
import { throwawayPostgres } from './postgres.mjs';
import { run } from './processes.mjs';

const root = join(import.meta.dirname, '..');
const api = join(root, 'apps', 'api');
const compiled = join(api, 'dist', 'openapi.js');
const isCheck = process.argv.includes('--check');

if (!isCheck) {
  await runOrExit('nx', ['run-many', '-t', 'build', '-p', '@platform/contracts', '@platform/speech'], root);
  // Services use the types that are about to be replaced, so a DTO that has changed does not fit them yet.
  await runOrExit(process.execPath, ['../../tools/build-api.mjs', '--with-type-errors'], api);
} else if (!existsSync(compiled)) {
  console.error('The document is generated from the compiled API. Run `npm run build` first.');
  process.exit(1);
}
const { createOpenApiDocument } = await import(pathToFileURL(compiled).href);
const server = await throwawayPostgres();
const document = await createOpenApiDocument(server.url).finally(server.stop);
const files = {
  'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'libs/contracts/src/schemas.ts': await contractTypes(document),
};

for (const [path, text] of Object.entries(files)) {
  const target = join(root, path);
  if (isCheck) compare(path, text, existsSync(target) ? readFileSync(target, 'utf8') : '');
  else writeFileSync(target, text);
}
if (!isCheck) console.log(`docs/openapi.json: ${Object.keys(document.paths).length} paths`);
process.exit();

function compare(path, text, stored) {
  if (text === stored) return;
  const lines = text.split('\n');
  const committed = stored.split('\n');
  const line = lines.findIndex((made, i) => made !== committed[i]);
  console.error(
    `${path} differs from line ${line + 1} on: "${committed[line]?.trim()}" is now "${lines[line]?.trim()}". ` +
      'Run `npm run openapi` and commit the files.',
  );
  process.exit(1);
}

async function runOrExit(program, args, cwd) {
  const { code } = await run(program, args, { cwd });
  if (code !== 0) process.exit(code);
}
