import { jest } from '@jest/globals';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import express, { type Request, type Response } from 'express';
import type { BodyKind } from '../routes/body-limit.ts';
import { eventually } from '../../../e2e/harness/eventually.ts';
import { bodyParser } from './body-parser.ts';
import type { RouteTableRegistry } from '../routes/route-table.registry.ts';

const KB = 1024;
const MB = 1024 * KB;
const LIMITS: Record<Exclude<BodyKind, 'form'>, { bytes: number; depth: number }> = {
  standard: { bytes: MB, depth: 64 },
  large: { bytes: 10 * MB, depth: 64 },
  values: { bytes: 10 * MB, depth: 64 },
  event: { bytes: 272 * KB, depth: 33 },
  events: { bytes: 4 * MB, depth: 64 },
  upload: { bytes: MB, depth: 64 },
  registration: { bytes: 32 * KB, depth: 8 },
};

/** Every path names its kind; /none is no route. */
const of: RouteTableRegistry['of'] = ({ method, path }) =>
  path === '/none'
    ? null
    : { method, path, rule: 'member', scopes: [], body: path.slice(1) as BodyKind, rate: 'general' };

describe('bodyParser', () => {
  const app = express();
  app.use(bodyParser({ of }, (req) => req.get('X-Holder') ?? null));
  app.use((req: Request, res: Response) => {
    const body: unknown = req.body;
    res.json({ size: Buffer.isBuffer(body) ? body.length : JSON.stringify(body ?? null).length });
  });
  const server = app.listen(0, '127.0.0.1');
  let url: string;
  beforeAll(async () => {
    if (!server.listening) await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  async function send(path: string, body: BodyInit, headers: Record<string, string> = {}) {
    const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
    const response = await fetch(`${url}/${path}`, init);
    return [response.status, ((await response.json()) as { message?: string }).message] as const;
  }

  const text = (bytes: number) => `"${'x'.repeat(bytes - 4)}"`;
  const sized = (bytes: number) => `[${text(bytes)}]`;
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it.each(Object.entries(LIMITS))('reads a body of the kind %s up to its limits', async (kind, limits) => {
    const { bytes, depth } = limits;
    expect(await send(kind, sized(bytes))).toEqual([200, undefined]);
    expect(await send(kind, sized(bytes + 1))).toEqual([413, `The body is larger than ${bytes} bytes`]);
    expect(await send(kind, deep(depth))).toEqual([200, undefined]);
    expect(await send(kind, deep(depth + 1))).toEqual([
      400,
      `The body is nested deeper than ${depth} levels`,
    ]);
    const zipped = gzipSync(sized(bytes + 1));
    expect((await send(kind, zipped, { 'Content-Encoding': 'gzip' }))[0]).toBe(413);
  });

  it('reads the body of a path that is no route as a standard one', async () => {
    expect((await send('none', sized(MB)))[0]).toBe(200);
    expect((await send('none', sized(MB + 1)))[0]).toBe(413);
  });

  const form = { 'Content-Type': 'multipart/form-data; boundary=b' };

  it('hands on a form of up to 25 MB, if the route takes uploads', async () => {
    expect(await send('upload', Buffer.alloc(25 * MB), form)).toEqual([200, undefined]);
    expect(await send('upload', Buffer.alloc(25 * MB + 1), form)).toEqual([
      413,
      `The body is larger than ${25 * MB} bytes`,
    ]);
    expect(await send('upload', 'x', { 'Content-Type': 'text/plain' })).toEqual([
      400,
      'The body must be JSON, sent with Content-Type: application/json, or multipart/form-data',
    ]);
  });

  it('counts the bytes of a form without Content-Length', async () => {
    const chunk = new Uint8Array(MB);
    let left = 26;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
    });
    const init = { method: 'POST', body, headers: form, duplex: 'half' } as RequestInit;
    const response = await fetch(`${url}/upload`, init);
    expect(response.status).toBe(413);
  });

  it('reads the parameters of a form of up to 16 KB, and nothing else, for form', async () => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await send('form', `a=${'x'.repeat(16 * KB - 2)}`, type)).toEqual([200, undefined]);
    expect(await send('form', `a=${'x'.repeat(16 * KB - 1)}`, type)).toEqual([
      413,
      'The body is larger than 16384 bytes',
    ]);
    expect((await send('form', 'a=b&'.repeat(60), type))[0]).toBe(400);
    expect(await send('form', '{}')).toEqual([
      400,
      'The body must be sent as application/x-www-form-urlencoded',
    ]);
  });

  it.each(['standard', 'large', 'event'])('takes no form for %s', async (kind) => {
    expect(await send(kind, 'x', form)).toEqual([
      400,
      'The body must be JSON, sent with Content-Type: application/json',
    ]);
  });

  it('refuses numbers that would be stored as others, where values are handed over', async () => {
    const numbers = '{"a":[9007199254740993,1e400]}';
    for (const kind of ['values', 'event']) {
      expect(await send(kind, numbers)).toEqual([
        400,
        'a[0] is an integer that a number cannot hold exactly: it would become 9007199254740992; send it as a string; ' +
          'a[1] is too large a number',
      ]);
    }
    for (const kind of ['standard', 'large']) expect((await send(kind, numbers))[0]).toBe(200);
  });

  it('refuses encodings that the check of the shape cannot read', async () => {
    const utf16 = { 'Content-Type': 'application/json; charset=utf-16' };
    expect(await send('standard', Buffer.from('[1]', 'utf16le'), utf16)).toEqual([
      400,
      'The body must be encoded as UTF-8',
    ]);
    expect((await send('standard', '[1]', { 'Content-Type': 'application/json; charset=UTF-8' }))[0]).toBe(
      200,
    );
  });

  it.each([
    ['brackets', '['.repeat(10 * MB), /nested deeper than 64/],
    ['empty objects', `[${'{},'.repeat(3 * MB)}1]`, /at most 200000 objects, arrays and keys/],
    [
      'a million keys',
      `{${Array.from({ length: 1_000_000 }, (_, i) => `"${i.toString(36)}":1`).join()}}`,
      /at most 200000 objects, arrays and keys/,
    ],
  ])('refuses 10 MB of %s without parsing them', async (_, body, expected) => {
    const parse = jest.spyOn(JSON, 'parse');
    const [status, message] = await send('large', body);
    // The answer is read with JSON.parse, too.
    const parsed = Math.max(...parse.mock.calls.map(([json]) => json.length), 0);
    parse.mockRestore();
    expect([status, message]).toEqual([400, expect.stringMatching(expected)]);
    expect(parsed).toBeLessThan(KB);
  });

  it.each([
    ['plain', { 'Content-Length': `${10 * MB}` }],
    ['compressed', { 'Content-Encoding': 'gzip', 'Content-Length': '1000' }],
  ])('keeps at most 256 MB of the %s bodies of one holder at a time', async (_, headers) => {
    const type = { 'Content-Type': 'application/json', 'X-Holder': 'one' };
    const slow = Array.from({ length: 25 }, () => {
      const call = request(`${url}/large`, { method: 'POST', headers: { ...type, ...headers } });
      call.on('error', () => undefined).flushHeaders();
      return call;
    });
    const mine = () => send('large', sized(9 * MB), { 'X-Holder': 'one' });
    const message = `Your calls send more than ${256 * MB} bytes at the same time`;
    await eventually(async () => expect(await mine()).toEqual([429, message]));
    expect((await send('large', '[]', { 'X-Holder': 'one' }))[0]).toBe(200);
    expect((await send('large', sized(9 * MB), { 'X-Holder': 'other' }))[0]).toBe(200);
    for (const call of slow) call.destroy();
    await eventually(async () => expect((await mine())[0]).toBe(200));
  });
});
