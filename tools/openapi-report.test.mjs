// The report on API documents, as scripts read it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { run } from './processes.mjs';

const folder = mkdtempSync(join(tmpdir(), 'platform-report-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const PETS = `swagger: '2.0'
info: {title: Pets, version: 1}
host: pets.example.com
schemes: [https]
paths:
  /pets: {get: {responses: {200: {schema: {$ref: '#/definitions/Missing'}}}}}
  /cats: {get: {responses: {200: {schema: {type: string}}}}}
  /dogs: {get: null}
`;

function report(...files) {
  const script = join(import.meta.dirname, 'openapi-report.mjs');
  return run(process.execPath, ['--conditions=platform-source', script, ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

it('prints one line for each document, also for one that is rejected', async () => {
  const pets = write('pets.yaml', PETS);
  const page = write('page.json', '<!doctype html>');
  const { code, output } = await report(pets, page);
  assert.equal(code, 0, output);
  const [first, second, ...others] = output.trim().split('\n').map(JSON.parse);
  assert.deepEqual(others, []);
  const { ms, ...line } = first;
  assert.ok(Number.isInteger(ms));
  assert.deepEqual(line, {
    file: pets,
    kind: 'swagger2',
    title: 'Pets',
    servers: 1,
    methods: 2,
    exact: 1,
    simplified: 1,
    skipped: 1,
    unresolvedRefs: 1,
    error: null,
  });
  assert.deepEqual([second.file, second.kind, second.methods], [page, null, 0]);
  assert.match(second.error, /HTML page/);
});

it('ends with 1 if a file cannot be read, and reports the others', async () => {
  const { code, output } = await report(join(folder, 'missing.json'), write('pets.yml', PETS));
  assert.equal(code, 1);
  assert.match(output, /missing\.json cannot be read/);
  assert.match(output, /"title":"Pets"/);
});
