import { jest } from '@jest/globals';
import { inputRequired } from '@modelcontextprotocol/server';
import type { Tool, ToolInvocation } from '@platform/contracts';
import { GuardedHttp } from '../src/infra/outgoing/guarded-http.ts';
import { CallPause } from '../src/tools/calls/call-pause.ts';
import { ToolDirectoryService } from '../src/tools/definition/tool-directory.service.ts';
import { ScriptedMcpServer, serve } from './fixtures/mcp-servers.ts';
import { ToolServer, type Handler, type Received } from './fixtures/tool-server.ts';
import { TestApp } from './harness/app.ts';
import { verifies } from './verifies.ts';

const SECRET = 'token-of-the-tool-0123456789';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const EVENTS = { 'Content-Type': 'text/event-stream' };

let app: TestApp;
let scripted: ScriptedMcpServer;
let hostile: ToolServer;

beforeAll(async () => {
  [scripted, hostile] = await Promise.all([ScriptedMcpServer.start(), ToolServer.start()]);
  const ports = [scripted, hostile].map(({ port }) => `127.0.0.1:${port}`);
  app = await TestApp.start({ env: { PLATFORM_ALLOWED_PRIVATE_HOSTS: ports.join(',') } });
});
afterAll(async () => {
  await app.close();
  await Promise.all([scripted.stop(), hostile.stop()]);
});

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

let count = 0;
/** A server with all tools that it offers. */
async function imported(serverUrl: string, more: object = {}): Promise<Tool> {
  const { tools } = app.client();
  const { id } = await tools.create({ kind: 'mcp', name: `server ${++count}`, serverUrl, ...more });
  const { offers } = await tools.importMcp(id);
  const methods = offers.map(({ tool, hash }) => ({ tool, hash: hash ?? '' }));
  return (await tools.importMcp(id, { methods })).tool;
}

const LIST = { 'tools/list': () => ({ tools: [{ name: 'read', annotations: { readOnlyHint: true } }] }) };

/** A server that keeps to the protocol until `read` is called. */
async function offering(timeoutMs: number, more: object = {}): Promise<Tool> {
  hostile.respond(serve(LIST));
  const tool = await imported(hostile.url, more);
  const retry = { attempts: 0, backoffMs: 0 };
  await app.client().tools.updateMethod(tool.id, 'read', { timeoutMs, retry });
  return tool;
}

/** Calls `read` of a server that does this. */
function call(tool: Tool, onCall: Handler): PromiseLike<ToolInvocation> {
  hostile.respond((response, request) => {
    if (methodOf(request) === 'initialize' || methodOf(request).startsWith('notifications/'))
      serve(LIST)(response, request);
    else onCall(response, request);
  });
  return app.client().tools.invoke(tool.id, 'read', { input: {} });
}

const messageOf = ({ body }: Received) =>
  (body.length === 0 ? {} : JSON.parse(body.toString())) as { id?: number; method?: string };
const methodOf = (request: Received) => messageOf(request).method ?? '';
const eventOf = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

const failure = async (pending: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(pending).then(
    () => 'none',
    (thrown: unknown) => (thrown as { code: string }).code,
  );

verifies('mcp-tools.bounds', 'reads no list that is longer than any server needs', async () => {
  hostile.respond(serve(LIST));
  const tool = await imported(hostile.url);
  let pages = 0;
  for (const entry of [7, { name: 'same' }]) {
    const entries = Array<unknown>(60_000).fill(entry);
    hostile.respond(serve({ 'tools/list': () => ({ tools: entries, nextCursor: String(++pages) }) }));
    const { offers, report } = await app.client().tools.importMcp(tool.id);
    expect(report).toContain('The server offers more than 10000 tools, so the rest was not read');
    // Nobody knows what the rest would have had.
    expect(offers.filter(({ status }) => status === 'removed')).toEqual([]);
  }
  expect(pages).toBe(2);
});

verifies('mcp-tools.bounds', 'ends calls that their servers would keep open', async () => {
  const tool = await offering(1_000);
  // The answer is that of another request.
  const other: Handler = (response, request) =>
    response
      .writeHead(200, JSON_TYPE)
      .end(JSON.stringify({ jsonrpc: '2.0', id: (messageOf(request).id ?? 0) + 1_000, result: text('no') }));
  expect(await failure(call(tool, other))).toBe('TOOL_ERROR');
  const trickling: Handler = (response) => {
    response.writeHead(200, EVENTS);
    const timer = setInterval(() => response.write(': still here\n\n'), 20);
    response.on('close', () => clearInterval(timer));
  };
  expect(await failure(call(tool, trickling))).toBe('TOOL_ERROR');
  const progressing: Handler = (response, request) => {
    response.writeHead(200, EVENTS);
    const params = { progressToken: messageOf(request).id, progress: 1 };
    const timer = setInterval(
      () => response.write(eventOf({ method: 'notifications/progress', params })),
      20,
    );
    response.on('close', () => clearInterval(timer));
  };
  expect(await failure(call(tool, progressing))).toBe('TOOL_ERROR');
  const broken: Handler = (response) => void response.writeHead(200, JSON_TYPE).end('{"jsonrpc": no');
  expect(await failure(call(tool, broken))).toBe('TOOL_ERROR');
  expect(await failure(call(tool, (response) => void response.writeHead(200, JSON_TYPE).end('7')))).toBe(
    'TOOL_ERROR',
  );
});

verifies('mcp-tools.bounds', 'leaves a call that is made again the rest of its time', async () => {
  const tool = await offering(20_000);
  const open = jest.spyOn(app.get(GuardedHttp), 'open');
  let calls = 0;
  const forgetful: Handler = (response, request) => {
    if (methodOf(request) === 'tools/call' && ++calls === 1)
      setTimeout(() => response.writeHead(404).end(), 1_000);
    else serve({ 'tools/call': () => text('done') })(response, request);
  };
  expect((await call(tool, forgetful)).output).toBe('done');
  const [first = 0, second = Infinity] = open.mock.calls.flatMap(([, { body, timeoutMs = 0 } = {}]) =>
    typeof body === 'string' && body.includes('"tools/call"') ? [timeoutMs] : [],
  );
  expect(first - second).toBeGreaterThan(900);
});

verifies('mcp-tools.bounds', 'answers no flood of requests, and opens no stream without end', async () => {
  const tool = await offering(20_000);
  // Some arrive after the call has ended.
  const answers = (method: string) =>
    hostile.received.filter(({ body }) => body.includes(`"question-${method}`)).length;
  for (const method of ['ping', 'elicitation/create', 'sampling/createMessage']) {
    const asking: Handler = (response, request) => {
      if (methodOf(request) !== 'tools/call') return void response.writeHead(202).end();
      response.writeHead(200, EVENTS);
      for (let i = 0; i < 3_000; i++) response.write(eventOf({ id: `question-${method}-${i}`, method }));
    };
    expect(await failure(call(tool, asking))).toBe('TOOL_ERROR');
    expect(answers(method)).toBeLessThanOrEqual(50);
  }
  // Each stream ends at once, and asks to be opened again.
  let opened = 0;
  const resuming: Handler = (response) => {
    response.writeHead(200, EVENTS).end(`retry: 0\nid: ${++opened}\ndata: \n\n`);
  };
  expect(await failure(call(tool, resuming))).toBe('TOOL_ERROR');
  expect(opened).toBeLessThanOrEqual(600);
});

verifies('mcp-tools.bounds', 'keeps no more files and warnings than people read', async () => {
  const tool = await offering(20_000);
  const data = Buffer.from('file').toString('base64');
  const block = { type: 'image', data, mimeType: 'image/png' };
  const files = await call(tool, serve({ 'tools/call': () => ({ content: Array(200).fill(block) }) }));
  expect(files.output).toHaveLength(20);
  expect(files.warnings).toContainEqual(expect.stringContaining('180 were left out'));
  const noisy: Handler = (response, request) => {
    response.writeHead(200, EVENTS);
    const logged = '{"level":"info","data":12345678901234567890}';
    const note = `data: {"jsonrpc":"2.0","method":"notifications/message","params":${logged}}\n\n`;
    response.write(note.repeat(2_000));
    response.end(eventOf({ id: messageOf(request).id, result: text('done') }));
  };
  const done = await call(tool, noisy);
  expect([done.output, done.warnings.length]).toEqual(['done', 20]);
});

verifies('mcp-tools.security', 'follows redirects to no address that is not allowed', async () => {
  const tool = await offering(5_000, { redirects: 'any', auth: { type: 'bearer', token: SECRET } });
  const metadata: Handler = (response) => {
    response.writeHead(307, { Location: 'http://169.254.169.254/latest/meta-data' }).end();
  };
  expect(await failure(call(tool, metadata))).toBe('TOOL_ERROR');
  const around: Handler = (response) => void response.writeHead(307, { Location: hostile.url }).end();
  expect(await failure(call(tool, around))).toBe('TOOL_ERROR');
  expect(hostile.received.filter((request) => methodOf(request) === 'tools/call')).toHaveLength(6);
  // Another origin is called, without the credentials of the tool.
  scripted.received.length = 0;
  const elsewhere: Handler = (response) => void response.writeHead(307, { Location: scripted.url }).end();
  await failure(call(tool, elsewhere));
  expect(scripted.headers.authorization).toBeUndefined();
});

verifies(
  ['mcp-tools.security', 'mcp-tools.questions'],
  'asks before it calls, and shows no credentials in what a server asks',
  async () => {
    let calls = 0;
    scripted.offer({ name: 'write' }, () => {
      calls++;
      const message = `Your token is ${SECRET}`;
      const properties = {
        field_2: { type: 'string' as const, title: SECRET },
        'two words': { type: 'string' as const },
      };
      return inputRequired({
        inputRequests: {
          a: inputRequired.elicit({ message, requestedSchema: { type: 'object', properties } }),
        },
      });
    });
    scripted.offer({ name: 'look', annotations: { readOnlyHint: true } }, () => text('seen'));
    const tool = await imported(scripted.url, { auth: { type: 'bearer', token: SECRET } });
    expect(tool.methods.map(({ name, acts }) => [name, acts])).toEqual(
      expect.arrayContaining([
        ['write', true],
        ['look', false],
      ]),
    );
    const caller = { spaceId: app.admin.spaceId, userId: app.admin.userId, causationRunId: null };
    const needOf = async (more: object) => {
      const error: unknown = await app
        .get(ToolDirectoryService)
        .invoke(caller, tool.id, 'write', {}, { mayPause: true, ...more })
        .catch((thrown: unknown) => thrown);
      if (!(error instanceof CallPause)) throw new Error('no pause', { cause: error });
      return error.need;
    };
    await app.client().tools.updateMethod(tool.id, 'write', { policy: { mode: 'ask' } });
    expect([(await needOf({})).kind, calls]).toEqual(['APPROVAL', 0]);
    // Whoever may approve the call makes it.
    const asked = await needOf({ ownRole: 'ADMIN' });
    expect([asked.kind, calls]).toEqual(['FORM', 1]);
    expect(JSON.stringify(asked)).not.toContain(SECRET);
    const fields = asked.kind === 'FORM' ? asked.fields : [];
    expect(new Set(fields.map(({ key }) => key)).size).toBe(2);
    await app.client().tools.updateMethod(tool.id, 'write', { policy: { mode: 'never' } });
    expect(await failure(app.client().tools.invoke(tool.id, 'write', { input: {} }))).toBe('CONFLICT');
    expect(calls).toBe(1);
  },
);
