import { expect, it } from '@jest/globals';
import { OpenDocument } from '@platform/openapi-import';
import { zipSync } from 'fflate';
import { decodeText } from './decode-text.ts';
import { ReadError } from './import-protocol.ts';
import { readZip } from './read-files.ts';

const MEGABYTE = 1024 * 1024;
const bytes = (text: string) => new TextEncoder().encode(text);
const ROOT =
  'openapi: 3.1.0\npaths: { /pets: { get: { responses: {}, parameters: [{ $ref: "parts/名.yaml#/q" }] } } }\n';
const FILES = {
  'docs/readme.md': bytes('no document'),
  'docs/examples/swagger.yaml': bytes('swagger: "2.0"\npaths: {}\n'),
  'docs/openapi.yaml': bytes(ROOT),
  'docs/parts/名.yaml': bytes('q: { name: q, in: query, schema: { type: string } }\n'),
};

async function problemOf(read: () => unknown): Promise<unknown> {
  try {
    await read();
  } catch (error) {
    return error instanceof ReadError ? error.problem : error;
  }
  return null;
}

it('finds the document in an archive, and the parts that it refers to', async () => {
  const source = await readZip(zipSync(FILES), MEGABYTE);
  expect(source.fileName).toBe('docs/openapi.yaml');
  const document = await OpenDocument.parse(source);
  expect(document.partProblems).toEqual([]);
  expect(document.convert('/pets', 'get').method?.bindings).toEqual([{ port: 'q', in: 'query', name: 'q' }]);
});

it('finds a Postman collection in an archive that has no API document', async () => {
  const info = {
    name: 'Pets',
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  };
  const item = [{ name: 'list', request: { method: 'GET', url: 'https://api.example.com/pets' } }];
  const collection = {
    'export/pets.postman_collection.json': bytes(JSON.stringify({ info, item }, null, 2)),
  };
  const environment = { 'export/dev.postman_environment.json': bytes('{"name":"dev","values":[]}') };
  const source = await readZip(zipSync({ ...environment, ...collection }), MEGABYTE);
  expect(source.fileName).toBe('export/pets.postman_collection.json');
  const document = await OpenDocument.parse(source);
  expect([document.kind, document.operations.map(({ path }) => path)]).toEqual(['postman', ['/pets']]);
  const both = await readZip(zipSync({ ...collection, ...FILES }), MEGABYTE);
  expect(both.fileName).toBe('docs/openapi.yaml');
});

it('unpacks nothing beyond the limit, and reads neither bombs nor anything else', async () => {
  const bomb = zipSync({ 'openapi.json': new Uint8Array(50 * MEGABYTE) });
  expect(bomb.length).toBeLessThan(MEGABYTE);
  expect(await problemOf(() => readZip(bomb, 20 * MEGABYTE))).toEqual({ kind: 'tooLarge', megabytes: 20 });
  // An archive that lies about the size of its file.
  const lying = zipSync({ 'openapi.json': new Uint8Array(50 * MEGABYTE) });
  const view = new DataView(lying.buffer, lying.byteOffset);
  for (let i = 0; i < lying.length - 28; i++)
    if (view.getUint32(i, true) === 0x02014b50) view.setUint32(i + 24, 1_000, true);
  const memory = process.memoryUsage().arrayBuffers;
  expect(await problemOf(() => readZip(lying, 20 * MEGABYTE))).not.toBeNull();
  expect(process.memoryUsage().arrayBuffers - memory).toBeLessThan(5 * MEGABYTE);
  expect(await problemOf(() => readZip(bytes('PK no archive'), MEGABYTE))).toEqual({ kind: 'zip' });
  expect(await problemOf(() => readZip(zipSync({ 'a.json': bytes('{}') }), MEGABYTE))).toEqual({
    kind: 'noDocument',
  });
});

it('decodes GBK, and UTF-16 with a mark', () => {
  expect(decodeText(Uint8Array.from([0xb3, 0xe8, 0xce, 0xef]))).toBe('宠物');
  expect(decodeText(bytes('宠物'))).toBe('宠物');
  expect(decodeText(Uint8Array.from([0xff, 0xfe, 0xa0, 0x5b]))).toBe('宠');
});
