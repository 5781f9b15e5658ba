import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import express from 'express';
import { compressJson } from './compressed-json.ts';

const large = { items: Array.from({ length: 500 }, (_, id) => ({ id, name: `Größe ${id}` })) };
const text = JSON.stringify(large);
let server: Server;

beforeAll(async () => {
  const app = express();
  app.use(compressJson);
  app.use((_req, res, next) => {
    res.setHeader('Content-Security-Policy', "default-src 'none'");
    next();
  });
  app.get('/api/large', (_req, res) => void res.json(large));
  app.get('/models/v1/large', (_req, res) => void res.json(large));
  app.get('/api/small', (_req, res) => void res.json({ items: [] }));
  app.get('/api/nothing', (_req, res) => void res.status(204).json());
  app.get('/api/packed', (_req, res) => void res.set('Content-Encoding', 'identity').json(large));
  app.get('/api/stream', (_req, res) => void res.type('text/event-stream').end(`data: ${text}\n\n`));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', path, headers, method }).end();
  const [message] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: message.statusCode,
    headers: message.headers,
    body: Buffer.concat(await message.toArray()),
  };
}

describe('compressJson', () => {
  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
  ])('for %p sends %p, a tenth as large, with the same tag', async (accepted, encoding, decompress) => {
    const { headers, body } = await get('/api/large', { 'accept-encoding': accepted });
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      vary: 'Accept-Encoding',
      etag: (await get('/api/large')).headers.etag,
    });
    expect(body.length).toBeLessThan(text.length / 5);
    expect(decompress(body).toString()).toBe(text);
    const again = await get('/api/large', {
      'accept-encoding': accepted,
      'if-none-match': headers.etag ?? '',
    });
    expect([again.status, again.body.length, again.headers['content-encoding']]).toEqual([304, 0, undefined]);
    expect((await get('/api/large', { 'accept-encoding': accepted }, 'HEAD')).body).toHaveLength(0);
  });

  it.each(['/api/large', '/api/small'])(
    'repeats no policy of %s that the client has stored',
    async (path) => {
      const first = await get(path, { 'accept-encoding': 'br' });
      expect(first.headers['content-security-policy']).toBe("default-src 'none'");
      const again = await get(path, {
        'accept-encoding': 'br',
        'if-none-match': first.headers.etag ?? '',
      });
      expect(again.status).toBe(304);
      expect(again.headers).not.toHaveProperty('content-security-policy');
      expect(again.headers.etag).toBe(first.headers.etag);
    },
  );

  it.each([['identity'], ['br;q=0, gzip;q=0'], ['']])(
    'sends the text if %p is accepted',
    async (accepted) => {
      const { headers, body } = await get('/api/large', { 'accept-encoding': accepted });
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, 'Accept-Encoding']);
      expect(body.toString()).toBe(text);
    },
  );

  it.each(['/api/small', '/api/nothing', '/models/v1/large', '/api/stream'])(
    'leaves %s alone',
    async (path) => {
      const compressed = await get(path, { 'accept-encoding': 'br, gzip' });
      const plain = await get(path);
      expect(compressed.headers.vary).toBeUndefined();
      expect(compressed.headers['content-encoding']).toBeUndefined();
      expect([compressed.status, compressed.body]).toEqual([plain.status, plain.body]);
    },
  );

  it('does not compress twice', async () => {
    const { headers, body } = await get('/api/packed', { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe('identity');
    expect(body.toString()).toBe(text);
  });
});
