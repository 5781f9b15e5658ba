import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import type { ConnectionProvider, Question, Run, Step, Tool, ToolInvocation } from '@platform/contracts';
import { ScriptedMcpServer, serve } from './fixtures/mcp-servers.ts';
import { OAuthProvider } from './fixtures/oauth-provider.ts';
import { sendJson, ToolServer } from './fixtures/tool-server.ts';
import { AgentCalls } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { answerInbox, APPROVE, inboxOf, PausedTurn } from './harness/approval-calls.ts';
import { CALLBACK_URL, connect, createProvider, createTool, ofEach, ofSpace } from './harness/connections.ts';
import { eventually } from './harness/eventually.ts';
import { RunCalls } from './harness/run-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let oauth: OAuthProvider;
let things: ToolServer;
let model: ScriptedModel;
let provider: ConnectionProvider;
let tool: Tool;

beforeAll(async () => {
  app = await TestApp.start();
  [oauth, things, model] = await Promise.all([
    OAuthProvider.start(CALLBACK_URL),
    ToolServer.start(),
    ScriptedModel.start(),
  ]);
  provider = await createProvider(app, 'Acme', oauth, { origins: [things.url] });
  tool = await createTool(app, 'Things', things.url, ofEach(provider.id));
});
afterAll(async () => {
  await app.close();
  await Promise.all([oauth.close(), things.stop(), model.close()]);
});
beforeEach(() => things.respond(sendJson({ ok: true })));

const write = (toolId: string): Step => ({ id: 'write', kind: 'tool', toolId, method: 'write', input: {} });

/** A run that waits for a connection, with its question to one person. */
async function waiting(owner: TestUser, toolId: string, asked = owner): Promise<[Run, Question]> {
  const runs = new RunCalls(app, owner);
  const run = await runs.reached(await runs.start(await runs.createTask([write(toolId)])), 'WAITING');
  const question = (await inboxOf(app, asked)).find(({ runId }) => runId === run.id);
  if (question === undefined) throw new Error(`Run ${run.id} asks nothing`);
  return [run, question];
}

/** Whose tokens the server has received. */
async function accounts(): Promise<(string | null)[]> {
  const tokens = things.received.map(({ headers }) => headers.authorization?.replace('Bearer ', '') ?? '');
  return Promise.all(tokens.map((token) => oauth.accountOf(token)));
}

verifies('call.needs.connected', 'a run goes on when its owner connects, and no other run', async () => {
  const [ada, kim] = [await app.addUser('MEMBER'), await app.addUser('MEMBER')];
  const [run, question] = await waiting(ada, tool.id);
  const [other] = await waiting(kim, tool.id);
  expect(question).toMatchObject({
    purpose: 'connection',
    path: `/connections?connect=${provider.id}`,
    recipients: 'owner',
  });
  await connect(app, ada, oauth, { providerId: provider.id }, 'ada');
  expect((await new RunCalls(app, ada).reached(run)).status).toBe('SUCCEEDED');
  const answered = await app.request<Question>('GET', `/api/inbox/${question.id}`, { as: ada });
  expect(answered.body).toMatchObject({ status: 'ANSWERED', approved: true, answeredBy: { id: ada.userId } });
  expect(await accounts()).toEqual(['ada']);
  expect((await new RunCalls(app, kim).get(other)).status).toBe('WAITING');
});

verifies('call.needs.connected', 'admins are asked for what the space connects to', async () => {
  const member = await app.addUser('MEMBER');
  const { id } = await connect(
    app,
    app.admin,
    oauth,
    { providerId: provider.id, owner: 'space', name: 'Ours' },
    'space',
  );
  const shared = await createTool(app, 'Shared things', things.url, ofSpace(id));
  await app.sql(`update connection set status = 'EXPIRED', reason = 'GRANT_ENDED' where id = $1`, [id]);
  const [run, question] = await waiting(member, shared.id, app.admin);
  expect(question).toMatchObject({
    purpose: 'connection',
    path: `/connections?connection=${id}`,
    recipients: 'admins',
  });
  expect(await inboxOf(app, member)).toEqual([]);
  await connect(
    app,
    app.admin,
    oauth,
    { providerId: provider.id, owner: 'space', connectionId: id },
    'space',
  );
  expect((await new RunCalls(app, member).reached(run)).status).toBe('SUCCEEDED');
  expect(await accounts()).toEqual(['space']);
});

verifies('call.needs', 'a turn asks its person to connect, and makes the call with their token', async () => {
  const person = await app.addUser('MEMBER');
  const agent = await AgentCalls.make(
    app,
    { baseUrl: model.url },
    { tools: [{ toolId: tool.id, methods: ['write'] }] },
  );
  const prompt = model.prompt({
    text: ['One moment. '],
    toolCalls: [{ id: 'w1', name: 'Things__write', arguments: '{}' }],
  });
  const turn = await PausedTurn.start(agent.by(person), prompt);
  expect(await turn.pending()).toMatchObject({
    purpose: 'connection',
    path: `/connections?connect=${provider.id}`,
  });
  await turn.answer(APPROVE);
  // The answer was given too early.
  expect((await turn.pending()).purpose).toBe('connection');
  await connect(app, person, oauth, { providerId: provider.id }, 'grace');
  await turn.answer(APPROVE);
  expect((await turn.state).status).toBe('COMPLETED');
  expect(await accounts()).toEqual(['grace']);
});

verifies(
  ['connections.isolation', 'connections.refused-token'],
  'MCP servers receive the token of each person, which is renewed once if they refuse it',
  async () => {
    const refused = new Set<string>();
    let isClosed = false;
    const seen: string[] = [];
    const answer = serve({
      'tools/list': () => ({ tools: [{ name: 'look', annotations: { readOnlyHint: true } }] }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'seen' }] }),
    });
    things.respond((response, received) => {
      const token = received.headers.authorization?.replace('Bearer ', '') ?? '';
      if (token === '' || isClosed || refused.has(token)) return void response.writeHead(401).end();
      seen.push(token);
      answer(response, received);
    });
    const { tools } = app.client();
    const server = await tools.create({
      kind: 'mcp',
      name: 'Helper',
      serverUrl: things.url,
      auth: ofEach(provider.id),
    });
    const path = `/api/tools/${server.id}/methods/look/invoke`;
    const look = (as: TestUser) =>
      app.request<ToolInvocation & { message: string }>('POST', path, { as, body: { input: {} } });
    await expect(tools.importMcp(server.id)).rejects.toMatchObject({ status: 409 });
    await connect(app, app.admin, oauth, { providerId: provider.id }, 'root');
    const { offers } = await tools.importMcp(server.id);
    await tools.importMcp(server.id, {
      methods: offers.map(({ tool: name, hash }) => ({ tool: name, hash: hash ?? '' })),
    });

    const person = await app.addUser('MEMBER');
    const needed = await look(person);
    expect([needed.status, needed.body.message]).toEqual([409, expect.stringContaining(provider.id)]);
    await connect(app, person, oauth, { providerId: provider.id }, 'mary');
    seen.length = 0;
    expect((await look(person)).body.output).toBe('seen');
    expect(new Set(await Promise.all(seen.map((token) => oauth.accountOf(token))))).toEqual(
      new Set(['mary']),
    );
    // The server refuses the token, in a session that was open.
    for (const token of seen.splice(0)) refused.add(token);
    expect((await look(person)).body).toMatchObject({ status: 200, output: 'seen' });
    expect(new Set(await Promise.all(seen.map((token) => oauth.accountOf(token))))).toEqual(
      new Set(['mary']),
    );
    expect(seen.some((token) => refused.has(token))).toBe(false);
    // It refuses every token of the person, and is not asked in a loop.
    isClosed = true;
    const received = things.received.length;
    const ended = await look(person);
    expect([ended.status, ended.body.message]).toEqual([
      409,
      expect.stringContaining('Sign in to Acme again'),
    ]);
    expect(things.received.length - received).toBeLessThan(5);
    isClosed = false;
    expect((await look(app.admin)).body.output).toBe('seen');
  },
);

verifies(
  ['approval.pause', 'approval.runs', 'mcp-tools.questions'],
  'a call that acts is approved once, and goes on after what its server asks',
  async () => {
    const booked: unknown[] = [];
    const server = await ScriptedMcpServer.start();
    try {
      server.offer({ name: 'book' }, (_, { mcpReq }) => {
        const seats = acceptedContent(mcpReq.inputResponses, 'seats');
        const requestedSchema = {
          type: 'object' as const,
          properties: { seats: { type: 'integer' as const } },
        };
        if (seats === undefined)
          return inputRequired({
            inputRequests: { seats: inputRequired.elicit({ message: 'How many?', requestedSchema }) },
          });
        booked.push(seats);
        return { content: [{ type: 'text', text: 'booked' }] };
      });
      const { tools } = app.client();
      const travel = await tools.create({ kind: 'mcp', name: 'Travel', serverUrl: server.url });
      const { offers } = await tools.importMcp(travel.id);
      const methods = offers.map(({ tool: name, hash }) => ({ tool: name, hash: hash ?? '' }));
      await tools.importMcp(travel.id, { methods });

      const agent = await AgentCalls.make(
        app,
        { baseUrl: model.url },
        { tools: [{ toolId: travel.id, methods: null }] },
      );
      const prompt = model.prompt({
        text: [],
        toolCalls: [{ id: 'b1', name: 'Travel__book', arguments: '{}' }],
      });
      const turn = await PausedTurn.start(agent, prompt);
      expect(await turn.pending()).toMatchObject({ purpose: 'approval', call: { method: 'book' } });
      await turn.answer(APPROVE);
      expect(await turn.pending()).toMatchObject({ purpose: 'form', fields: [{ key: 'seats' }] });
      await turn.answer({ ...APPROVE, values: { seats: 2 } });
      expect((await turn.state).status).toBe('COMPLETED');
      expect(booked).toEqual([{ seats: 2 }]);

      const runs = new RunCalls(app);
      const step: Step = { id: 'book', kind: 'tool', toolId: travel.id, method: 'book', input: {} };
      const run = await runs.start(await runs.createTask([step]));
      const answer = async (purpose: string, body: object) => {
        const asked = await eventually(async () => {
          const found = (await inboxOf(app, app.admin)).find(({ runId }) => runId === run.id);
          expect(found?.purpose).toBe(purpose);
          return found;
        });
        expect((await answerInbox(app, asked?.id ?? '', body, app.admin)).status).toBe(200);
      };
      await answer('approval', { approved: true });
      await answer('form', { approved: true, values: { seats: 3 } });
      expect((await runs.reached(run)).status).toBe('SUCCEEDED');
      expect(booked).toEqual([{ seats: 2 }, { seats: 3 }]);
    } finally {
      await server.stop();
    }
  },
);
