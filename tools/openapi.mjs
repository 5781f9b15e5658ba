// Writes docs/openapi.json from the compiled API. With --check, only reports whether the committed file is up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { throwawayPostgres } from './postgres.mjs';

const root = join(import.meta.dirname, '..');
const target = join(root, 'docs', 'openapi.json');
const compiled = join(root, 'apps', 'api', 'dist', 'openapi.js');

if (!existsSync(compiled)) {
  console.error('The document is generated from the compiled API. Run `npm run build` first.');
  process.exit(1);
}
const { createOpenApiDocument } = await import(pathToFileURL(compiled).href);
const server = await throwawayPostgres();
const document = await createOpenApiDocument(server.url).finally(server.stop);
const text = `${JSON.stringify(document, null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(target, text);
  console.log(`docs/openapi.json: ${Object.keys(document.paths).length} paths`);
} else if (!existsSync(target)) {
  fail('docs/openapi.json does not exist');
} else {
  const committed = readFileSync(target, 'utf8').split('\n');
  const line = text.split('\n').findIndex((made, i) => made !== committed[i]);
  if (text !== committed.join('\n')) {
    fail(
      `docs/openapi.json differs from line ${line + 1} on: "${committed[line]?.trim()}" is now "${text.split('\n')[line]?.trim()}"`,
    );
  }
}
process.exit();

function fail(sentence) {
  console.error(`${sentence}. Run \`npm run build && npm run openapi\` and commit the file.`);
  process.exit(1);
}
