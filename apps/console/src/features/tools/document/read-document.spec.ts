import { expect, it } from '@jest/globals';
import { ReadError, type ReadProblem, type TextSource } from './import-protocol.ts';
import { readDocument, type ReadOptions } from './read-document.ts';

const ADDRESS = 'https://api.example.com/openapi.json';

function read(
  address: string,
  options: Partial<ReadOptions> = {},
  header: { name: string; value: string } | null = null,
) {
  const source: TextSource = { type: 'url', url: address, header };
  return readDocument(source, {
    fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    pageProtocol: 'https:',
    maxBytes: 1_000,
    ...options,
  });
}

async function problemOf(reading: Promise<unknown>): Promise<ReadProblem> {
  const error: unknown = await reading.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ReadError)) throw new Error(`Not a ReadError: ${String(error)}`);
  return error.problem;
}

const respond = (text: string, init: ResponseInit) => ({
  fetch: () => Promise.resolve(new Response(text, init)),
});

it.each(['', 'api.example.com/openapi.json', '/openapi.json', 'ftp://host/a', 'https://user:pw@host/a'])(
  '%j is not an address of a document',
  async (address) => {
    expect(await problemOf(read(address))).toEqual({ kind: 'invalid' });
  },
);

it('knows that a secure page cannot load an insecure document, except from the same computer', async () => {
  const insecure = 'http://api.example.com/o.yaml';
  expect(await problemOf(read(insecure))).toEqual({
    kind: 'mixed',
    command: "curl -fL -o openapi.yaml 'http://api.example.com/o.yaml'",
  });
  expect(await problemOf(read(insecure, { pageProtocol: 'http:' }))).toMatchObject({ kind: 'network' });
  expect(await problemOf(read('http://localhost:8080/o.json'))).toMatchObject({ kind: 'network' });
});

it('gives the command for a document that the browser cannot load, without the value of the header', async () => {
  const header = { name: 'Authorization', value: 'Bearer secret' };
  expect(await problemOf(read("https://x.example/it's.json", {}, header))).toEqual({
    kind: 'network',
    command: "curl -fL -o openapi.json -H 'Authorization: …' 'https://x.example/it'\\''s.json'",
  });
});

it('tells apart a status, a web page, a document that is too large, and a header that cannot be sent', async () => {
  expect(await problemOf(read(ADDRESS, respond('{}', { status: 404 })))).toEqual({
    kind: 'status',
    status: 404,
  });
  const html = { headers: { 'content-type': 'text/html; charset=utf-8' } };
  expect(await problemOf(read(ADDRESS, respond('\n<!DOCTYPE html><p>', html)))).toEqual({ kind: 'html' });
  expect(await problemOf(read(ADDRESS, { ...respond('x'.repeat(1_001), {}), maxBytes: 1_000 }))).toEqual({
    kind: 'tooLarge',
    megabytes: 0,
  });
  expect(await problemOf(read(ADDRESS, respond('{}', {}), { name: 'a b', value: '' }))).toEqual({
    kind: 'header',
  });
});

it('returns the text with its type, and sends the header but no cookies', async () => {
  const sent: unknown[] = [];
  const document = await read(
    ` ${ADDRESS} `,
    {
      fetch: (input, init) => {
        sent.push([input, new Headers(init?.headers).get('x-key'), init?.credentials]);
        return Promise.resolve(new Response('{"ä":1}', { headers: { 'content-type': 'application/json' } }));
      },
    },
    { name: 'X-Key', value: 'secret' },
  );
  expect(document).toMatchObject({ text: '{"ä":1}', contentType: 'application/json', documentUrl: ADDRESS });
  expect(sent).toEqual([[ADDRESS, 'secret', 'omit']]);
});

it('reads a document that is sent as text/html, as some servers do', async () => {
  const html = { headers: { 'content-type': 'text/html' } };
  expect(await read(ADDRESS, respond('openapi: 3.0.0', html))).toMatchObject({ text: 'openapi: 3.0.0' });
});

it('loads parts, and sends the header only to the server of the document', async () => {
  const sent: [string, string | null][] = [];
  const source = await read(
    ADDRESS,
    {
      fetch: (url, init) => {
        sent.push([url as string, new Headers(init?.headers).get('x-key')]);
        const isClosed = (url as string).includes('closed');
        return isClosed
          ? Promise.reject(new TypeError('Failed to fetch'))
          : Promise.resolve(new Response('{}', { status: (url as string).includes('gone') ? 404 : 200 }));
      },
    },
    { name: 'X-Key', value: 'k' },
  );
  const load = (url: string) => source.parts?.load(url);
  await load('https://api.example.com/parts/a.yaml');
  await load('https://other.example.com/b.yaml');
  expect(sent).toEqual([
    [ADDRESS, 'k'],
    ['https://api.example.com/parts/a.yaml', 'k'],
    ['https://other.example.com/b.yaml', null],
  ]);
  await expect(load('https://closed.example.com/c.yaml')).rejects.toThrow(
    'It cannot be reached, or its server does not allow other websites to read it',
  );
  await expect(load('https://api.example.com/gone.yaml')).rejects.toThrow('status 404');
});

it.each([
  ['application/json; charset=gbk', [0x22, 0xc4, 0xe3, 0x22], '"你"'],
  ['application/json', [0x22, 0xc4, 0xe3, 0x22], '"你"'],
  ['application/json; charset="UTF-8"', [0x22, 0xc4, 0xe3, 0x22], '"你"'],
  ['text/yaml;charset=ISO-8859-1', [0x63, 0x61, 0x66, 0xe9], 'café'],
  ['text/yaml; charset=ISO-8859-1', [...new TextEncoder().encode('café')], 'café'],
  ['text/yaml; charset=utf-16le', [0x61, 0, 0x60, 0x4f], 'a你'],
  ['text/yaml', [0xff, 0xfe, 0x61, 0, 0x60, 0x4f], 'a你'],
  ['text/yaml; charset=unknown', [0xef, 0xbb, 0xbf, 0xc3, 0xa9], 'é'],
])('decodes %s: %j', async (type, bytes, text) => {
  const init = { headers: { 'content-type': type } };
  const options = { fetch: () => Promise.resolve(new Response(Uint8Array.from(bytes), init)) };
  const source = await read(ADDRESS, options);
  expect(source.text).toBe(text);
  expect((await source.parts?.load(ADDRESS))?.text).toBe(text);
});
