import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import express from 'express';
import { serveCompressed } from './compressed-assets.ts';

const TEXT = 'export const greeting = "hello";'.repeat(50);
const folder = mkdtempSync(join(tmpdir(), 'assets-'));
let server: Server;

beforeAll(async () => {
  writeFileSync(join(folder, 'app.js'), TEXT);
  writeFileSync(join(folder, 'app.js.br'), brotliCompressSync(TEXT));
  writeFileSync(join(folder, 'app.js.gz'), gzipSync(TEXT));
  writeFileSync(join(folder, 'logo.png'), 'png');
  const app = express();
  const caching = { immutable: true, maxAge: '1y' };
  app.use('/assets', serveCompressed(folder, caching), express.static(folder, caching));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function get(path: string, encodings: string): Promise<{ message: IncomingMessage; body: Buffer }> {
  const { port } = server.address() as AddressInfo;
  const headers = { 'accept-encoding': encodings };
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, headers }, (message) => {
      const parts: Buffer[] = [];
      message.on('data', (part: Buffer) => parts.push(part));
      message.on('end', () => resolve({ message, body: Buffer.concat(parts) }));
    })
      .on('error', reject)
      .end();
  });
}

describe('serveCompressed', () => {
  it.each([
    ['gzip, deflate, br', 'br', brotliCompressSync(TEXT)],
    ['gzip', 'gzip', gzipSync(TEXT)],
    ['br;q=0, gzip', 'gzip', gzipSync(TEXT)],
    ['identity', undefined, Buffer.from(TEXT)],
  ])('for %p sends %p', async (accepted, encoding, expected) => {
    const { message, body } = await get('/assets/app.js', accepted);
    expect(message.statusCode).toBe(200);
    expect(message.headers['content-encoding']).toBe(encoding);
    expect(message.headers['content-type']).toMatch(/javascript/);
    expect(message.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(message.headers.vary).toBe('Accept-Encoding');
    expect(body.equals(expected)).toBe(true);
  });

  it('leaves files without a copy, and paths that leave the folder, to the next handler', async () => {
    const plain = await get('/assets/logo.png', 'br');
    expect([plain.message.statusCode, plain.message.headers['content-encoding']]).toEqual([200, undefined]);
    for (const path of ['/assets/../app.js', '/assets/%2e%2e/app.js', '/assets/none.js'])
      expect((await get(path, 'br')).message.statusCode).toBe(404);
  });
});
