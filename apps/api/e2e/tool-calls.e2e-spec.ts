import { gzipSync } from 'node:zlib';
import type { MethodBinding, ToolAuthStatus, ToolInvocation } from '@platform/contracts';
import { AppError } from '../src/infra/errors/app-error.ts';
import type { AuthKind } from '../src/tools/calls/auth-kinds/auth-kind.ts';
import { authKinds } from '../src/tools/calls/auth-kinds/auth-kinds.ts';
import type { CallCredentials } from '../src/tools/calls/call-credentials.service.ts';
import type { CallableMethod, CallOptions } from '../src/tools/calls/call-protocol.ts';
import { ToolCallsService } from '../src/tools/calls/tool-calls.service.ts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { problemsOf } from './harness/problems.ts';
import { verifies } from './verifies.ts';

const SECRET = 'canary-s3cret/+ä=';
const NO_RESPONSE = 'The tool could not be reached, or its response was cut off';
const NO_AUTH: CallCredentials = { auth: { type: 'none' }, secret: null, version: 1 };

let app: TestApp;
/** The API; for the platform, it is also its own public address. */
let server: ToolServer;
let foreign: ToolServer;
let methodId: string;

beforeAll(async () => {
  server = await ToolServer.start();
  foreign = await ToolServer.start();
  app = await TestApp.start({
    env: {
      PLATFORM_ALLOWED_PRIVATE_HOSTS: [server, foreign].map(({ port }) => `127.0.0.1:${port}`).join(','),
      PLATFORM_PUBLIC_URL: server.url,
    },
  });
  const [tool] = await app.sql<{ id: string }>(
    `insert into tool (space_id, name, description, kind, server_url, auth, created_by)
     values ($1, 'T', '', 'http', $2, '{"type":"none"}', $3) returning id`,
    [app.admin.spaceId, server.url, app.admin.userId],
  );
  const [method] = await app.sql<{ id: string }>(
    `insert into tool_method (space_id, tool_id, name, description, http_method, path, input_schema, output_schema,
                              bindings, operation_key, acts, retry)
     values ($1, $2, 'm', '', 'get', '/', '{}', '{}', '[]', 'GET /', false, '{}') returning id`,
    [app.admin.spaceId, tool?.id],
  );
  methodId = method?.id ?? '';
});
afterAll(async () => {
  await app.close();
  await server.stop();
  await foreign.stop();
});
beforeEach(() => {
  server.respond(sendJson({ ok: true }));
  foreign.respond(sendJson({ ok: true }));
});

function makeMethod(changes: Partial<CallableMethod> = {}): CallableMethod {
  const ports = (changes.bindings ?? []).map(({ port }): [string, unknown] => [port, {}]);
  return {
    id: methodId,
    toolId: methodId,
    toolName: 'Things',
    spaceId: app.admin.spaceId,
    protocol: 'http',
    operationKey: 'GET /things',
    imported: null,
    checkedAt: null,
    serverUrl: `${server.url}/api`,
    redirects: 'same-origin',
    httpMethod: 'get',
    path: '/things',
    inputSchema: { type: 'object', properties: Object.fromEntries(ports) },
    outputSchema: { type: 'object', properties: {} },
    outputFields: null,
    bindings: [],
    bodyMediaType: null,
    encoding: null,
    cache: { ttlSeconds: 0 },
    retry: { attempts: 0, backoffMs: 1 },
    timeoutMs: 30_000,
    version: JSON.stringify(changes),
    ...changes,
  };
}

function call(
  changes: Partial<CallableMethod>,
  input: Record<string, unknown> = {},
  credentials: CallCredentials = NO_AUTH,
  options: Partial<CallOptions> = {},
): Promise<ToolInvocation> {
  const { userId } = app.admin;
  return app.get(ToolCallsService).call(makeMethod(changes), credentials, input, { userId, ...options });
}

async function failure(pending: Promise<unknown>): Promise<[string, string]> {
  const error = await pending.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error('expected an AppError', { cause: error });
  expect(JSON.stringify([error.message, String(error.cause), error.stack])).not.toContain(SECRET);
  return [error.code, error.message];
}

const query = (...ports: string[]) => ports.map((port): MethodBinding => ({ port, in: 'query', name: port }));
const credentials = (auth: ToolAuthStatus): CallCredentials => ({ auth, secret: SECRET, version: 1 });

verifies('tools.calls.request', 'sends what bindings and input say, byte by byte', async () => {
  const bindings: MethodBinding[] = [
    { port: 'id', in: 'path', name: 'id' },
    { port: 'tags', in: 'query', name: 'tags', style: 'pipeDelimited', explode: false },
    // As a client may write what it leaves out.
    { port: 'mode', in: 'query', name: null, style: null, explode: null } as unknown as MethodBinding,
    { port: 'trace', in: 'header', name: 'X-Trace' },
    { port: 'theme', in: 'cookie', name: 'theme' },
    { port: 'size', in: 'cookie', name: 'size' },
    { port: 'name', in: 'body', name: 'name' },
    { port: 'nothing', in: 'body', name: 'nothing' },
    { port: 'absent', in: 'body', name: 'absent' },
  ];
  const input = {
    id: 'a/b ü',
    tags: ['x', 'y z'],
    mode: 'new',
    trace: '1,2',
    theme: 'dark; a=b',
    size: 0,
    name: '',
    nothing: null,
  };
  const path = '/things/{id}?mode=old&keep=1';
  const result = await call(
    {
      httpMethod: 'patch',
      path,
      bindings,
      bodyMediaType: 'application/json',
      serverUrl: `${server.url}/api/?v=2`,
    },
    input,
  );
  expect(result).toMatchObject({ status: 200, output: { ok: true }, cached: false, warnings: [] });
  const [received] = server.received;
  expect(received).toMatchObject({
    method: 'PATCH',
    url: '/api/things/a%2Fb%20%C3%BC?v=2&keep=1&tags=x%7Cy%20z&mode=new',
    headers: {
      host: `127.0.0.1:${server.port}`,
      'x-trace': '1,2',
      cookie: 'theme=dark%3B%20a%3Db; size=0',
      'content-type': 'application/json',
    },
  });
  expect(received?.body.toString()).toBe('{"name":"","nothing":null}');
});

verifies('tools.calls.request', 'cannot be led to another place by a value', async () => {
  const id: MethodBinding = { port: 'id', in: 'path', name: 'id' };
  for (const value of ['..', '.', ''])
    expect((await failure(call({ path: '/things/{id}', bindings: [id] }, { id: value })))[0]).toBe(
      'VALIDATION_ERROR',
    );
  for (const value of ['../admin', '//evil.example', '@evil.example', '\\..\\', '?a=b#c', '%2e%2e']) {
    server.respond(sendJson({}));
    await call({ path: '/things/{id}/parts', bindings: [id] }, { id: value });
    expect(server.received[0]?.url).toBe(`/api/things/${encodeURIComponent(value)}/parts`);
  }
  const header: MethodBinding = { port: 'h', in: 'header', name: 'X-H' };
  for (const value of ['a\r\nX-Evil: 1', 'a\nb', 'a\0b', '日本'])
    expect(await failure(call({ bindings: [header] }, { h: value }))).toEqual([
      'VALIDATION_ERROR',
      'input.h has characters that a header cannot carry',
    ]);
  server.respond(sendJson({}));
  const managed = [
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Authorization',
    'Cookie',
    'X-Platform-Causation',
  ];
  const bindings = managed.map((name): MethodBinding => ({ port: name, in: 'header', name }));
  const { warnings } = await call({ bindings }, Object.fromEntries(managed.map((name) => [name, '7'])));
  expect(warnings).toHaveLength(managed.length);
  expect(warnings[0]).toBe('input.Host is not sent: the platform sets the header Host');
  expect(Object.values(server.received[0]?.headers ?? {})).not.toContain('7');
});

verifies('tools.calls.auth', 'authenticates in every way, whatever the input says', async () => {
  const ports: MethodBinding[] = [
    { port: 'q', in: 'query', name: 'key' },
    { port: 'h', in: 'header', name: 'X-Key' },
    { port: 'c', in: 'cookie', name: 'key' },
  ];
  const received = async (auth: ToolAuthStatus) => {
    server.respond(sendJson({}));
    await call({ bindings: ports }, { q: 'own', h: 'own', c: 'own' }, credentials(auth));
    const [{ url, headers } = { url: '', headers: {} }] = server.received;
    return { url, headers: headers as Record<string, string> };
  };
  const latin = Buffer.from(SECRET, 'latin1').toString('latin1');
  expect(
    (await received({ type: 'apiKey', in: 'header', name: 'x-key', configured: true })).headers['x-key'],
  ).toBe(latin);
  expect((await received({ type: 'header', name: 'X-Key', configured: true })).headers['x-key']).toBe(latin);
  expect((await received({ type: 'bearer', configured: true })).headers.authorization).toBe(
    `Bearer ${latin}`,
  );
  expect((await received({ type: 'basic', username: 'jö', configured: true })).headers.authorization).toBe(
    `Basic ${Buffer.from(`jö:${SECRET}`, 'utf8').toString('base64')}`,
  );
  const inQuery = await received({ type: 'apiKey', in: 'query', name: 'key', configured: true });
  expect(inQuery.url).toBe(`/api/things?key=${encodeURIComponent(SECRET)}`);
  const inCookie = await received({ type: 'apiKey', in: 'cookie', name: 'key', configured: true });
  expect(inCookie.headers.cookie).toBe(`key=${encodeURIComponent(SECRET)}`);
  expect((await received({ type: 'none' })).url).toBe('/api/things?key=own');

  // A header with cookies replaces those of the input one by one.
  const cookies: MethodBinding[] = ['key', 'lang'].map((name) => ({ port: name, in: 'cookie', name }));
  const header = credentials({ type: 'header', name: 'Cookie', configured: true });
  await call({ bindings: cookies }, { key: 'own', lang: 'en' }, { ...header, secret: 'key=k-1; sid=s-1' });
  expect(server.received.at(-1)?.headers.cookie).toBe('key=k-1; sid=s-1; lang=en');

  const absent = await call(
    {},
    {},
    { auth: { type: 'bearer', configured: false }, secret: null, version: 1 },
  );
  expect(absent.warnings).toEqual(['The tool has no credentials, so the call was made without them']);
  const broken = { ...credentials({ type: 'bearer', configured: true }), secret: `${SECRET}\r\nX: 1` };
  expect((await failure(call({}, {}, broken)))[0]).toBe('VALIDATION_ERROR');
});

it('leaves room for kinds of authentication that call a server, keep what it sends, and fail', async () => {
  const tokens = new Map<string, string>();
  const exchanges: AuthKind = {
    type: 'exchange',
    fields: {},
    secret: { field: 'secret', check: () => null },
    apply: async (_auth, secret, { http, credentialsKey, timeoutMs }) => {
      const kept = tokens.get(credentialsKey);
      const token = kept ?? (await http.fetch(`${foreign.url}/token`, { timeoutMs, maxBytes: 1_000 })).text();
      tokens.set(credentialsKey, token);
      return {
        query: [],
        cookies: [],
        secrets: [secret, token],
        headers: [['Authorization', `Bearer ${token}`]],
      };
    },
  };
  const kinds = authKinds as Map<string, AuthKind>;
  kinds.set('exchange', exchanges);
  const exchanged = credentials({ type: 'exchange', configured: true } as never);
  try {
    foreign.respond((response) => response.end('token-of-the-exchange'));
    server.respond((response, request) =>
      sendJson({ got: request.headers.authorization })(response, request),
    );
    for (const _ of [1, 2])
      expect(await call({}, {}, exchanged)).toMatchObject({
        output: { got: `Bearer ${'*'.repeat('token-of-the-exchange'.length)}` },
      });
    expect(foreign.received).toHaveLength(1);
    foreign.respond((response) => response.destroy());
    expect(await failure(call({}, {}, { ...exchanged, version: 2 }))).toEqual([
      'TOOL_ERROR',
      'The server that grants access to the tool could not be reached',
    ]);
  } finally {
    kinds.delete('exchange');
  }
});

verifies('tools.calls.input', 'names every path of the input that fails, and makes no call', async () => {
  const inputSchema = {
    type: 'object',
    required: ['id', 'to'],
    properties: {
      id: { type: 'integer', isPort: true },
      to: { type: 'array', items: { type: 'string', pattern: '^(?=a)' }, isPort: true },
      kind: { enum: ['a', 'b'] },
    },
  };
  const method = { inputSchema, bindings: query('id', 'to', 'kind') };
  const refused: unknown = await call(method, { to: ['a', 1], kind: 'c', other: 1 }).catch(
    (error: unknown) => (error as AppError).body,
  );
  expect(refused).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(problemsOf(refused).sort()).toEqual([
    'input.id is required',
    'input.kind must be one of ["a","b"]',
    'input.other is not a known field',
    'input.to[1] must be string',
  ]);
  expect(server.received).toHaveLength(0);
  expect((await call(method, { id: 1, to: [] })).status).toBe(200);
  const broken = await call({ inputSchema: { $ref: '#/nowhere' }, bindings: query('id') }, { id: 1 });
  expect(broken.warnings).toEqual(['The input was not validated: its schema cannot be compiled']);
});

verifies('tools.calls.output', 'returns every response as a result', async () => {
  const output = async (status: number, headers: Record<string, string>, body: string | Buffer) => {
    server.respond((response) => response.writeHead(status, headers).end(body));
    const { durationMs, ...result } = await call({});
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(result.response?.bytes).toBe(Buffer.byteLength(body));
    for (const [name, value] of Object.entries(headers))
      expect(result.response?.headers[name.toLowerCase()]).toBe(value);
    return [result.status, result.output, result.warnings];
  };
  const json = { 'Content-Type': 'application/problem+json' };
  expect(await output(404, json, '{"a":"ü","__proto__":{"x":1}}')).toEqual([
    404,
    JSON.parse('{"a":"ü","__proto__":{"x":1}}'),
    [],
  ]);
  expect(await output(500, { 'Content-Type': 'text/html' }, '<p>')).toEqual([500, '<p>', []]);
  expect(await output(302, { Location: `${foreign.url}/` }, '')).toEqual([302, null, []]);
  expect(foreign.received).toHaveLength(0);
  expect(
    await output(200, { 'Content-Type': 'text/plain; charset=iso-8859-1' }, Buffer.from([0xe4])),
  ).toEqual([200, 'ä', []]);
  expect(await output(200, json, '{"a"')).toEqual([200, '{"a"', ['The response is not valid JSON']]);
  const deep = '['.repeat(100_000);
  expect(await output(200, json, deep)).toEqual([
    200,
    deep,
    ['The response has too many levels or parts to be read as JSON'],
  ]);
});

verifies('tools.calls.output', 'warns about an output that does not match its schema', async () => {
  const outputSchema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
  server.respond(sendJson({ id: 'x' }));
  expect((await call({ outputSchema })).warnings).toEqual([
    'The output does not match its schema: output.id must be integer',
  ]);
  server.respond(sendJson({ id: 1 }));
  expect((await call({ outputSchema })).warnings).toEqual([]);
  server.respond(sendJson({}, 404));
  expect((await call({ outputSchema })).warnings).toEqual([]);
});

verifies('tools.calls.numbers', 'keeps integers that no number holds, in both directions', async () => {
  const [big, small] = ['9007199254740993', '-9223372036854775807'];
  const int64 = { type: 'integer', format: 'int64' };
  const inputSchema = {
    type: 'object',
    properties: {
      id: int64,
      at: int64,
      count: { type: 'integer' },
      rows: { type: 'array', items: { anyOf: [{ type: 'null' }, { properties: { id: int64 } }] } },
      text: { type: 'string' },
    },
  };
  const bindings: MethodBinding[] = [
    { port: 'id', in: 'path', name: 'id' },
    { port: 'at', in: 'query', name: 'at', mediaType: 'application/json' },
    ...['count', 'rows', 'text'].map((port): MethodBinding => ({ port, in: 'body', name: port })),
  ];
  server.respond((response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(`{"id":${big},"rows":[{"id":${small}},{"id":5,"x":1e400}],"text":"${big}"}`),
  );
  const changes: Partial<CallableMethod> = {
    httpMethod: 'post',
    path: '/{id}',
    inputSchema,
    outputSchema: inputSchema,
    bindings,
    bodyMediaType: 'application/json',
    cache: { ttlSeconds: 60 },
  };
  const input = { id: big, at: small, count: big, rows: [{ id: small }, null, { id: '7' }], text: big };
  const output = { id: big, rows: [{ id: small }, { id: 5, x: '1e400' }], text: big };
  const warnings = [
    'Strings in place of numbers that a number cannot hold exactly: output.id, output.rows[0].id, output.rows[1].x',
  ];
  expect(await call(changes, input)).toMatchObject({ output, warnings, cached: false });
  const [received] = server.received;
  expect([received?.url, String(received?.body)]).toEqual([
    `/api/${big}?at=${small}`,
    `{"count":${big},"rows":[{"id":${small}},null,{"id":7}],"text":"${big}"}`,
  ]);
  expect(await call(changes, input)).toMatchObject({ output, warnings, cached: true });
  // Only int64 is written as a string by habit: other numbers that can hold the integer are numbers.
  expect(await failure(call(changes, { ...input, count: '5' }))).toEqual([
    'VALIDATION_ERROR',
    expect.stringContaining('input.count must be integer'),
  ]);
  expect(await failure(call(changes, { ...input, id: '12a' }))).toEqual([
    'VALIDATION_ERROR',
    expect.stringContaining('input.id must be integer'),
  ]);
});

verifies('tools.calls.output', 'ignores formats and patterns, and reads JSON of any media type', async () => {
  const properties = {
    mail: { type: 'string', format: 'email' },
    code: { type: 'string', pattern: '^[A-Z]+$' },
    id: { type: 'integer' },
  };
  const outputSchema = { type: 'object', properties };
  const send = (type: string | null, body: string) =>
    server.respond((response) =>
      response.writeHead(200, type === null ? {} : { 'Content-Type': type }).end(body),
    );
  for (const type of ['text/html; charset=utf-8', 'text/plain', 'application/octet-stream', null]) {
    send(type, ' {"mail":"none","code":"x","id":1}');
    const output = { mail: 'none', code: 'x', id: 1 };
    expect(await call({ outputSchema })).toMatchObject({ output, warnings: [] });
  }
  send('text/plain', '{"id":"x"}');
  expect((await call({ outputSchema })).warnings).toEqual([
    expect.stringContaining('output.id must be integer'),
  ]);
  send('text/html', '[not JSON]');
  expect(await call({ outputSchema })).toMatchObject({ output: '[not JSON]' });
  send('text/plain', '{"id":1}');
  for (const unknown of [{ type: 'string' }, { type: 'object', properties: {} }])
    expect((await call({ outputSchema: unknown })).output).toBe('{"id":1}');
});

verifies('tools.calls.downloads', 'keeps files of responses, and returns references to them', async () => {
  const file = Buffer.from([0x89, 0x50, 0, 1]);
  const send = (headers: Record<string, string>, status = 200) =>
    server.respond((response) => response.writeHead(status, headers).end(file));
  const saved: { mime: string; data: Buffer }[] = [];
  const options: Partial<CallOptions> = {
    saveAttachment: async (one) => {
      saved.push(one);
      return `id-${saved.length}`;
    },
  };
  const outputSchema = { type: 'object', required: ['id'] };
  send({ 'Content-Type': 'image/png; q=1', 'Content-Disposition': 'attachment; filename="../../a b.png"' });
  const cache = { ttlSeconds: 60 };
  expect(await call({ outputSchema, cache, outputFields: ['/id'] }, {}, NO_AUTH, options)).toMatchObject({
    output: { attachment: 'attachment:id-1', name: 'a b.png', mediaType: 'image/png', bytes: 4 },
    warnings: [],
  });
  expect(saved).toEqual([{ mime: 'image/png', data: file }]);
  const names: [Record<string, string>, string, string][] = [
    [
      { 'Content-Disposition': "attachment; filename=x.bin; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf" },
      '/x',
      'résumé.pdf',
    ],
    [{ 'Content-Disposition': 'attachment; filename=plain.bin' }, '/x', 'plain.bin'],
    [{ 'Content-Disposition': 'attachment; filename="..\\.."' }, '/files/report.pdf', 'report.pdf'],
    [{ 'Content-Type': 'application/pdf' }, '/files/7', 'response.pdf'],
  ];
  for (const [headers, path, name] of names) {
    send({ 'Content-Type': 'application/octet-stream', ...headers });
    expect((await call({ path }, {}, NO_AUTH, options)).output).toMatchObject({ name });
  }
  const lost = 'The response is a file. Files are kept only when an agent calls the method successfully';
  send({ 'Content-Type': 'image/png' });
  expect(await call({ cache, path: '/pic.png' })).toMatchObject({
    output: { attachment: null, name: 'pic.png', mediaType: 'image/png', bytes: 4 },
    warnings: [lost],
    cached: false,
  });
  send({ 'Content-Type': 'image/png' }, 500);
  const before = saved.length;
  expect(await call({}, {}, NO_AUTH, options)).toMatchObject({ status: 500, warnings: [lost] });
  expect(saved).toHaveLength(before);
  send({ 'Content-Type': 'image/png' });
  const saveAttachment = () => Promise.reject(new Error('no space'));
  // The call has succeeded, and a failure would have it repeated.
  expect(await call({}, {}, NO_AUTH, { saveAttachment })).toMatchObject({
    status: 200,
    output: { attachment: null },
  });
});

verifies('tools.calls.redirects', 'follows redirects as far as the tool allows', async () => {
  const end = sendJson({ end: true });
  const to = (location: string, status = 302) => sendJson({ moved: true }, status, { Location: location });
  const bindings: MethodBinding[] = [{ port: 'a', in: 'body', name: 'a' }];
  const post: Partial<CallableMethod> = { httpMethod: 'post', bindings, bodyMediaType: 'application/json' };
  const auth = credentials({ type: 'bearer', configured: true });

  server.respond(to('/other', 303), end);
  expect((await call(post, { a: 1 }, { ...auth, secret: 'abc-12345678' })).output).toEqual({ end: true });
  expect(server.received.map(({ method, url, body }) => [method, url, String(body)])).toEqual([
    ['POST', '/api/things', '{"a":1}'],
    ['GET', '/other', ''],
  ]);
  expect(server.received[1]?.headers.authorization).toBe('Bearer abc-12345678');

  server.respond(to(`${foreign.url}/x`));
  expect(await call({})).toMatchObject({ status: 302, output: { moved: true } });
  expect(foreign.received).toHaveLength(0);
  const header = credentials({ type: 'header', name: 'X-Key', configured: true });
  const sent = await call({ redirects: 'any' }, {}, { ...header, secret: 'abc-12345678' });
  expect(sent).toMatchObject({ status: 200, output: { ok: true } });
  expect(foreign.received).toHaveLength(1);
  expect(JSON.stringify(foreign.received)).not.toContain('abc-12345678');
  server.respond(to('/other'));
  expect((await call({ redirects: 'none' })).status).toBe(302);

  server.respond(to('/again'));
  expect(await failure(call({}))).toEqual(['TOOL_ERROR', NO_RESPONSE]);
  expect(server.received).toHaveLength(6);
  server.respond(to('http://169.254.169.254/'));
  expect(await failure(call({ redirects: 'any' }))).toEqual(['TOOL_ERROR', NO_RESPONSE]);
});

verifies('tools.calls.redirects', 'does not act again when only what a redirect leads to fails', async () => {
  const moved = sendJson({}, 303, { Location: '/made' });
  const failing = sendJson({ error: 'busy' }, 503);
  const retry = { attempts: 2, backoffMs: 1 };
  server.respond(moved, failing, moved, failing, moved, failing);
  expect(await call({ httpMethod: 'post', retry })).toMatchObject({ status: 503 });
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /api/things',
    'GET /made',
  ]);
  const kept = sendJson({}, 307, { Location: '/made' });
  server.respond(kept, failing, kept, sendJson({ ok: true }));
  expect(await call({ httpMethod: 'get', retry })).toMatchObject({ status: 200 });
});

verifies('tools.calls.unreachable', 'does not take half of a compressed response for all of it', async () => {
  const bytes = gzipSync(JSON.stringify(Array.from({ length: 5_000 }, (_, i) => i)));
  const headers = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
  server.respond(
    (response) => response.writeHead(200, headers).end(bytes.subarray(0, bytes.length / 2)),
    (response) => response.writeHead(200, headers).end(bytes),
  );
  const changes = { cache: { ttlSeconds: 60 }, path: '/half' };
  expect(await failure(call(changes))).toEqual(['TOOL_ERROR', NO_RESPONSE]);
  expect(await call(changes)).toMatchObject({ cached: false, status: 200 });
});

verifies(
  'tools.calls.fields',
  'returns the chosen fields of successful outputs, and errors whole',
  async () => {
    const whole = { items: [{ id: 1, note: 'x' }, { id: 2 }], total: 2 };
    server.respond(sendJson(whole));
    const changes = { outputFields: ['/items/-/id'], cache: { ttlSeconds: 60 } };
    const chosen = { items: [{ id: 1 }, { id: 2 }] };
    expect(await call(changes)).toMatchObject({ output: chosen, cached: false, warnings: [] });
    expect(await call(changes)).toMatchObject({ output: chosen, cached: true, warnings: [] });
    expect(await call({ outputFields: ['/other'] })).toMatchObject({
      output: null,
      warnings: ['The output has none of the fields that were chosen for the method'],
    });
    server.respond(sendJson({ code: 'GONE' }, 410));
    expect(await call({ outputFields: ['/items'] })).toMatchObject({ status: 410, output: { code: 'GONE' } });
    server.respond(sendJson({ items: 1 }));
    // The whole output is validated, not what is left of it.
    const outputSchema = { type: 'object', required: ['total'] };
    const { warnings } = await call({ outputFields: ['/items'], outputSchema });
    expect(warnings).toEqual([expect.stringContaining('total')]);
  },
);

verifies('tools.calls.unreachable', 'fails in the same way, whatever keeps a response away', async () => {
  const closed = await ToolServer.start();
  const { port } = closed;
  await closed.stop();
  const hosts = [
    '127.0.0.1:1',
    'localhost',
    '169.254.169.254',
    '[::ffff:127.0.0.1]',
    '0x7f000001',
    '2130706433',
    '[::1]',
    `127.0.0.1:${port}`,
    'name.invalid',
    '10.0.0.1',
    'user:password@127.0.0.1',
    `127.1:${server.port + 1}`,
  ];
  for (const host of hosts)
    expect([host, ...(await failure(call({ serverUrl: `http://${host}` })))]).toEqual([
      host,
      'TOOL_ERROR',
      NO_RESPONSE,
    ]);

  const told = { explainBlocked: () => Promise.resolve('Told.') };
  const blocked = call({ serverUrl: 'http://10.0.0.1' }, {}, NO_AUTH, told);
  expect(await failure(blocked)).toEqual(['TOOL_ERROR', `${NO_RESPONSE}. Told.`]);
  const unused = call({ serverUrl: `http://127.0.0.1:${server.port}`, redirects: 'any' }, {}, NO_AUTH, told);
  expect((await unused).status).toBe(200);

  server.respond((response) => response.writeHead(200).end(Buffer.alloc(10_485_761, 'a')));
  expect(await failure(call({}))).toEqual(['TOOL_ERROR', NO_RESPONSE]);
  const bomb = gzipSync(Buffer.alloc(200 * 1_048_576));
  server.respond((response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb));
  const before = process.memoryUsage().arrayBuffers;
  expect(await failure(call({}))).toEqual(['TOOL_ERROR', NO_RESPONSE]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1_048_576);
  server.respond((response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(timer));
  });
  expect(await failure(call({ timeoutMs: 200 }))).toEqual(['TOOL_ERROR', NO_RESPONSE]);
  server.respond(() => undefined);
  expect(await failure(call({ timeoutMs: 200 }))).toEqual(['TOOL_ERROR', NO_RESPONSE]);
  server.respond((response) => response.destroy());
  expect(await failure(call({}))).toEqual(['TOOL_ERROR', NO_RESPONSE]);
});

verifies('tools.calls.unreachable', 'reads a response of 10 MB, and stops when the caller does', async () => {
  server.respond((response) => response.writeHead(200).end(Buffer.alloc(10_485_760, 'a')));
  expect(String((await call({})).output)).toHaveLength(10_485_760);
  const stop = new AbortController();
  const reason = new Error('stopped');
  server.respond(() => stop.abort(reason));
  const pending = call({}, {}, NO_AUTH, { signal: stop.signal });
  await expect(pending).rejects.toBe(reason);
});

verifies('tools.calls.retry', 'repeats what is worth it, as often as configured', async () => {
  const retry = { attempts: 2, backoffMs: 1 };
  for (const status of [429, 502, 503, 504]) {
    server.respond(sendJson({}, status), sendJson({}, status), sendJson({ ok: true }));
    expect([(await call({ retry })).status, server.received.length]).toEqual([200, 3]);
  }
  server.respond((response) => response.destroy(), sendJson({ ok: true }));
  expect([(await call({ retry })).status, server.received.length]).toEqual([200, 2]);
  server.respond(sendJson({}, 503));
  expect([(await call({ retry })).status, server.received.length]).toEqual([503, 3]);
  for (const status of [400, 404, 408, 500, 501]) {
    server.respond(sendJson({}, status));
    expect([(await call({ retry })).status, server.received.length]).toEqual([status, 1]);
  }
  server.respond(sendJson({}, 503));
  expect([(await call({ httpMethod: 'post' })).status, server.received.length]).toEqual([503, 1]);
  // The same body again.
  const bindings: MethodBinding[] = [{ port: 'body', in: 'body' }];
  server.respond(sendJson({}, 503), sendJson({}));
  await call({ retry, httpMethod: 'post', bindings, bodyMediaType: 'application/json' }, { body: [1] });
  expect(server.received.map(({ body }) => body.toString())).toEqual(['[1]', '[1]']);
});

verifies('tools.calls.retry', 'waits as long as Retry-After says, within the timeout', async () => {
  const retry = { attempts: 1, backoffMs: 1 };
  server.respond(sendJson({}, 429, { 'Retry-After': '1' }), sendJson({}));
  const waited = await call({ retry });
  expect([waited.status, server.received.length]).toEqual([200, 2]);
  expect(waited.durationMs).toBeGreaterThanOrEqual(990);
  server.respond(sendJson({ busy: true }, 429, { 'Retry-After': '3600' }), sendJson({}));
  expect(await call({ retry })).toMatchObject({ status: 429, output: { busy: true } });
  expect(server.received).toHaveLength(1);
  // All attempts together.
  // The second one never has a response.
  server.respond(sendJson({}, 503), () => undefined);
  expect((await failure(call({ retry, timeoutMs: 300 })))[0]).toBe('TOOL_ERROR');
});

verifies('tools.calls.cache', 'keeps successful responses per input, version, and credentials', async () => {
  let count = 0;
  const countUp = () => sendJson({ count: ++count });
  const counted = async (changes: Partial<CallableMethod>, input: Record<string, unknown>, version = 1) => {
    server.respond(countUp());
    const result = await call(
      { cache: { ttlSeconds: 60 }, bindings: query('a', 'b'), version: 'v1', ...changes },
      input,
      { ...NO_AUTH, version },
    );
    return [server.received.length, result.cached];
  };
  expect(await counted({}, { a: 1, b: 2 })).toEqual([1, false]);
  expect(await counted({}, { b: 2, a: 1 })).toEqual([0, true]);
  expect(await counted({}, { a: 1 })).toEqual([1, false]);
  expect(await counted({}, { a: 1, b: null })).toEqual([1, false]);
  expect(await counted({ version: 'v2' }, { a: 1, b: 2 })).toEqual([1, false]);
  expect(await counted({}, { a: 1, b: 2 }, 2)).toEqual([1, false]);
  expect(await counted({ cache: { ttlSeconds: 0 } }, { a: 1, b: 2 })).toEqual([1, false]);

  const changes = { cache: { ttlSeconds: 60 }, version: 'v3' };
  for (const status of [404, 500]) {
    server.respond(sendJson({}, status));
    expect((await call(changes)).cached).toBe(false);
    expect((await call(changes)).cached).toBe(false);
  }
  const mismatch = { ...changes, version: 'v4', outputSchema: { required: ['x'] } };
  server.respond(sendJson({ y: 1 }, 201));
  const [first, second] = [await call(mismatch), await call(mismatch)];
  expect([second.cached, second.status, second.output, second.warnings]).toEqual([
    true,
    201,
    { y: 1 },
    first.warnings,
  ]);
  expect(first.warnings).toEqual(['The output does not match its schema: output.x is required']);
});

verifies('tools.calls.cache', 'forgets expired responses, and those of deleted methods', async () => {
  const changes = { cache: { ttlSeconds: 60 }, version: 'v5' };
  await call(changes);
  expect((await call(changes)).cached).toBe(true);
  await app.sql(`update tool_response set expires_at = clock_timestamp() - interval '1 second'`);
  expect((await call(changes)).cached).toBe(false);
  await app.sql(`update tool_response set expires_at = clock_timestamp() - interval '1 second'`);
  await app.sweep();
  expect(await app.sql('select 1 from tool_response')).toEqual([]);
  const deleted = { ...changes, id: '0190a000-0000-7000-8000-000000000000' };
  expect((await call(deleted)).cached).toBe(false);
  expect((await call(deleted)).cached).toBe(false);
});

verifies('tools.calls.secrets', 'masks the secret wherever a response repeats it', async () => {
  const encoded = Buffer.from(`user:${SECRET}`).toString('base64');
  server.respond((response, received) => {
    const repeated = [SECRET, `x${SECRET}y`, encodeURIComponent(SECRET), received.headers.authorization];
    response.setHeader('X-Repeated', `is ${SECRET}`);
    response.setHeader('Set-Cookie', ['session=signed-in; HttpOnly', 'lang=en', 'alone']);
    sendJson({ [SECRET]: repeated, plain: 'kept' })(response, received);
  });
  const basic = credentials({ type: 'basic', username: 'user', configured: true });
  const outputSchema = { properties: { [SECRET]: { type: 'string' } } };
  const changes = { cache: { ttlSeconds: 60 }, version: 'secret', outputSchema };
  const result = await call(changes, {}, basic);
  const text = JSON.stringify(result);
  for (const form of [SECRET, encodeURIComponent(SECRET), encoded]) expect(text).not.toContain(form);
  expect(text).toContain('"plain":"kept"');
  expect(result.response?.headers).toMatchObject({
    'x-repeated': `is ${'*'.repeat(SECRET.length)}`,
    // A cookie can be as good as the secret.
    'set-cookie': 'session=***, lang=***, =***',
  });
  expect((await call(changes, {}, basic)).response).toBeNull();
  expect(JSON.stringify(await app.sql('select output from tool_response'))).not.toContain(SECRET);

  const inQuery = credentials({ type: 'apiKey', in: 'query', name: 'key', configured: true });
  server.respond((response, received) => sendJson({ url: received.url })(response, received));
  const echoed = await call({}, {}, { ...inQuery, secret: "pass!word('secret')" });
  expect(echoed.output).toEqual({ url: `/api/things?key=${'*'.repeat(29)}` });
  expect(await failure(call({ serverUrl: 'http://127.0.0.1:1' }, {}, inQuery))).toEqual([
    'TOOL_ERROR',
    NO_RESPONSE,
  ]);
});

verifies('tools.calls.causation', 'tells the run to the platform alone', async () => {
  const options = { causation: 'signed' };
  await call({}, {}, NO_AUTH, options);
  expect(server.received[0]?.headers['x-platform-causation']).toBe('signed');
  await call({ serverUrl: foreign.url }, {}, NO_AUTH, options);
  expect(foreign.received).toHaveLength(1);
  expect(foreign.received[0]?.headers['x-platform-causation']).toBeUndefined();
});

verifies('tools.calls.files', 'sends files as base64 or attachments', async () => {
  const bytes = Buffer.from([0, 13, 10, 255]);
  const file = { type: 'string', format: 'binary' };
  const readAttachment = async (id: string) => (id === 'one' ? { mime: 'image/png', data: bytes } : null);
  const bindings: MethodBinding[] = ['doc', 'many', 'note'].map((name) => ({ port: name, in: 'body', name }));
  const form: Partial<CallableMethod> = {
    httpMethod: 'post',
    bodyMediaType: 'multipart/form-data',
    bindings,
    inputSchema: {
      properties: { doc: file, many: { type: 'array', items: file }, note: { type: 'string' } },
    },
    cache: { ttlSeconds: 60 },
  };
  const input = {
    doc: 'attachment:one',
    many: [bytes.toString('base64'), 'data:audio/wav;base64,AAE='],
    note: 'n',
  };
  const attempt = () => call(form, input, NO_AUTH, { readAttachment });
  await attempt();
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = server.received;
  const sent = await new Response(new Uint8Array(body), {
    headers: { 'Content-Type': headers['content-type'] ?? '' },
  }).formData();
  const files = [sent.get('doc'), ...sent.getAll('many')] as File[];
  expect(files.map(({ name, type, size }) => [name, type, size])).toEqual([
    ['doc.png', 'image/png', 4],
    ['many', 'application/octet-stream', 4],
    ['many.wav', 'audio/wav', 2],
  ]);
  expect(Buffer.from((await files[0]?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(bytes);
  expect(sent.get('note')).toBe('n');
  // What an attachment is depends on the session.
  expect((await attempt()).cached).toBe(false);
  expect(
    await failure(call(form, { doc: 'attachment:two', many: ['!'] }, NO_AUTH, { readAttachment })),
  ).toEqual([
    'VALIDATION_ERROR',
    'input.doc names an attachment that does not exist in this session; input.many[0] must be base64 or attachment:<id>',
  ]);
});
