import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { Interaction, Page, Trace, TurnListing } from '@platform/contracts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { rowsRead } from './harness/query-plan.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let model: ScriptedModel;
let agent: AgentCalls;
let priced: AgentCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  agent = await AgentCalls.make(app);
  const price = { inputPerMillion: 1_000, outputPerMillion: 2_000 };
  priced = await AgentCalls.make(app, { baseUrl: model.url, price });
});
afterAll(async () => {
  await app.close();
  await model.close();
});

async function list(query: Record<string, string>, as: TestUser = app.admin): Promise<Page<TurnListing>> {
  const path = `/api/turns?${new URLSearchParams(query).toString()}`;
  const { status, body, text } = await app.request<Page<TurnListing>>('GET', path, { as });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body;
}

const idsOf = ({ items }: Page<TurnListing>) => items.map(({ turnId }) => turnId);

async function say(text: string, calls = agent, more: object = {}): Promise<string> {
  const turnId = randomUUID();
  await calls.stream({ turnId, contents: said(text), ...more });
  return turnId;
}

const traceOf = async (turnId: string, calls = agent) =>
  (await calls.request<Trace>('GET', `/turns/${turnId}/trace`)).body;

describe('the list of turns', () => {
  verifies(
    'turn.list',
    'filters by agent, session, status, model, source, and time, newest first',
    async () => {
      const session = randomUUID();
      const hello = await say('Hello', agent, { session_id: session });
      const failed = await say('/fail');
      const other = await say(model.prompt({ text: ['Hi'] }), priced);
      const all = await list({});
      expect(idsOf(all).slice(0, 3)).toEqual([other, failed, hello]);
      expect(all.items[1]).toMatchObject({ status: 'FAILED', errorCode: 'UNAVAILABLE', source: 'chat' });
      expect(all.items[2]).toMatchObject({
        agentId: agent.agentId,
        user: { id: app.admin.userId, email: app.admin.email },
        session: { sessionId: session, title: 'Hello', isListed: true },
        status: 'COMPLETED',
        errorCode: null,
        model: 'platform/offline',
      });
      expect(idsOf(await list({ agentId: priced.agentId }))).toEqual([other]);
      expect(idsOf(await list({ agentId: agent.agentId, sessionId: session }))).toEqual([hello]);
      expect(idsOf(await list({ status: 'FAILED' }))).toEqual([failed]);
      expect(idsOf(await list({ model: 'platform/offline' }))).toEqual([failed, hello]);
      expect(idsOf(await list({ source: 'job' }))).toEqual([]);
      expect(idsOf(await list({ search: ' heLLo' }))).toEqual([hello]);
      expect(idsOf(await list({ search: hello.toUpperCase() }))).toEqual([hello]);
      expect(idsOf(await list({ search: session }))).toEqual([hello]);
      expect(idsOf(await list({ search: '%' }))).toEqual([]);
      const since = all.items[1]?.createdAt ?? '';
      expect(idsOf(await list({ from: since }))).toEqual([other, failed]);
      expect(idsOf(await list({ to: since }))).toContain(hello);
      expect(idsOf(await list({ to: since }))).not.toContain(other);
      await agent.request('DELETE', `/sessions/${session}`);
      expect(idsOf(await list({}))).toEqual([other, failed]);
    },
  );

  verifies('turn.list', 'does not depend on the clocks of processes', async () => {
    const now = Date.now;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    const ahead = await say('Ahead').finally(() => clock.mockRestore());
    const next = await say('Next');
    const { items } = await list({ limit: '2' });
    expect(items.map(({ turnId }) => turnId)).toEqual([next, ahead]);
    expect(idsOf(await list({ from: items[1]?.createdAt ?? '' }))).toEqual([next, ahead]);
  });

  verifies('turn.list', 'rejects filters that contradict each other', async () => {
    for (const query of ['?sessionId=s', '?userId=' + app.member.userId, '?status=DONE', '?from=yesterday'])
      expect((await app.request('GET', `/api/turns${query}`)).status).toBe(400);
  });

  verifies('turn.list.space', 'admins see the figures of all turns, members only their own', async () => {
    const secret = `secret-${randomUUID()}`;
    const theirs = await say(`Remember ${secret}`, agent.by(app.member), { session_id: secret });
    expect(idsOf(await list({}))).not.toContain(theirs);
    expect(idsOf(await list({}, app.member))).toEqual([theirs]);
    const { items } = await list({ scope: 'space', userId: app.member.userId });
    expect(items).toEqual([
      expect.objectContaining({
        turnId: theirs,
        user: expect.objectContaining({ id: app.member.userId }),
        session: null,
        status: 'COMPLETED',
        token_usage: expect.objectContaining({ cost: 0 }),
      }),
    ]);
    expect(JSON.stringify(await list({ scope: 'space' }))).not.toContain(secret);
    expect(JSON.stringify((await list({}, app.member)).items)).toContain(secret);
    expect((await app.request('GET', '/api/turns?scope=space', { as: app.member })).status).toBe(403);
    expect(idsOf(await list({ scope: 'space' }, app.outsider))).toEqual([]);
    for (const query of [`agentId=${agent.agentId}&sessionId=${secret}`, `search=${secret}`])
      expect((await app.request('GET', `/api/turns?scope=space&${query}`)).status).toBe(400);
  });

  verifies('turn.trace.own', 'others do not get the trace, admins included', async () => {
    const theirs = await say('Mine', agent.by(app.member));
    expect((await agent.request('GET', `/turns/${theirs}/trace`)).status).toBe(404);
    expect((await agent.by(app.member).request('GET', `/turns/${theirs}/trace`)).status).toBe(200);
  });

  verifies(
    'turn.list.bounded',
    'reads a bounded number of turns, and its pages show each match once',
    async () => {
      const person = await app.addUser('MEMBER');
      const calls = agent.by(person);
      const rare = await say('Rare', calls);
      // Twelve thousand later turns of the person, in one session of their own.
      await app.sql(
        `with s as (
         insert into session (space_id, agent_id, user_id, name) values ($1, $2, $3, 'many') returning id
       )
       insert into turn (space_id, agent_id, user_id, session_id, client_turn_id, n, contents_hash, status, settings,
                         model, finished_at, source)
       select $1, $2, $3, s.id, gen_random_uuid()::text, n, '', 'CANCELLED', '{}', 'm', now(), 'chat'
       from s, generate_series(1, 12000) n`,
        [person.spaceId, agent.agentId, person.userId],
      );
      await app.sql('analyze turn');
      const pages: number[] = [];
      const found: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page = await list({ status: 'COMPLETED', ...(cursor && { cursor }) }, person);
        pages.push(page.items.length);
        found.push(...idsOf(page));
        cursor = page.nextCursor;
      }
      expect([pages, found]).toEqual([[0, 0, 1], [rare]]);
      const first = await list({ limit: '200' }, person);
      expect([first.items.length, first.nextCursor]).toEqual([200, expect.any(String)]);
      // What a filter without matches reads, besides its 5,000 turns and their sessions.
      const read = await rowsRead(
        app,
        `select t.id from (select c.* from turn c where c.space_id = $1 and c.user_id = $2 order by c.id desc limit 5000) t
       where t.status = 'FAILED' order by t.id desc limit 50`,
        [person.spaceId, person.userId],
      );
      expect(read).toBeLessThan(25_000);
    },
  );
});

describe('a session', () => {
  verifies('session.rename', 'gets another title, which later turns keep', async () => {
    const session_id = randomUUID();
    await say('First words', agent, { session_id });
    const rename = (title: unknown, calls = agent) =>
      calls.request('PATCH', `/sessions/${session_id}`, { body: { title } });
    expect(await rename('  Trip to Lisbon ')).toMatchObject({
      status: 200,
      body: { title: 'Trip to Lisbon' },
    });
    await say('More words', agent, { session_id });
    const { body } = await agent.request('GET', `/sessions/${session_id}`);
    expect(body).toMatchObject({ title: 'Trip to Lisbon', turnCount: 2 });
    for (const title of ['', ' ', 'x'.repeat(201), null, 7]) expect((await rename(title)).status).toBe(400);
    expect((await rename('Mine', agent.by(app.member))).status).toBe(404);
  });
});

describe('a trace', () => {
  verifies('turn.trace', 'shows model calls with time and usage', async () => {
    const prompt = model.prompt({ text: ['One', ' two'] });
    const turnId = await say(prompt, priced);
    const trace = await traceOf(turnId, priced);
    expect(trace).toMatchObject({
      turnId,
      status: 'COMPLETED',
      source: 'chat',
      runId: null,
      sessionListed: true,
      input: prompt,
      attachments: [],
      segments: [{ segment: 1, origin: 'start', ended: true }],
    });
    expect(trace.spans).toEqual([
      expect.objectContaining({
        kind: 'model',
        status: 'succeeded',
        durationMs: expect.any(Number),
        firstTokenMs: expect.any(Number),
        token_usage: trace.token_usage,
        output: { text: 'One two' },
      }),
    ]);
    expect(trace.token_usage.cost).toBeGreaterThan(0);
  });

  verifies('turn.trace', 'links the files of the message, of an execution without memory too', async () => {
    const images = ['data:image/png;base64,iVBORw0KGgo='];
    const body = { inputs: { query: 'Look', images } };
    const { headers } = await agent.request('POST', '/execute', { body });
    const trace = await traceOf(headers.get('x-turn-id') ?? '');
    const attachment = { id: expect.any(String), mime: 'image/png', bytes: 8, url: expect.any(String) };
    expect(trace).toMatchObject({ input: 'Look', attachments: [{ type: 'image_url', attachment }] });
    const [file] = trace.attachments;
    const url = file !== undefined && 'attachment' in file ? (file.attachment?.url ?? '') : '';
    expect((await app.request('GET', url)).status).toBe(200);
    expect((await app.request('GET', url, { as: app.member })).status).toBe(404);
  });

  verifies('turn.trace', 'shows a failed call of the model with its reason', async () => {
    const trace = await traceOf(await say('/fail'));
    expect(trace.spans.at(-1)).toMatchObject({
      kind: 'model',
      status: 'failed',
      error: { code: 'UNAVAILABLE' },
    });
  });

  verifies('turn.trace.detail', 'tells those who manage the agent what the server said', async () => {
    const message = 'No quota at https://api.example.com/x for this\nproject';
    const prompt = model.prompt({ kind: 'status', status: 402, message });
    const own = await say(prompt, priced);
    const { error } = await traceOf(own, priced);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', detail: 'No quota at … for this project' });
    expect((await priced.request('GET', `/turns/${own}`)).text).not.toContain('quota');
    const calls = priced.by(app.member);
    const theirs = await traceOf(
      await say(model.prompt({ kind: 'status', status: 402, message }), calls),
      calls,
    );
    expect(theirs.error).toEqual({
      code: 'UNAVAILABLE',
      message: expect.any(String),
      retryable: expect.any(Boolean),
    });
  });

  verifies('turn.trace', 'shows tool calls with arguments and errors', async () => {
    const toolCalls = [{ id: 'call_1', name: 'weather__now', arguments: '{"city":"Ulm"}' }];
    const turnId = await say(model.prompt({ text: ['Looking'], toolCalls }, { text: ['I cannot.'] }), priced);
    const { spans } = await traceOf(turnId, priced);
    expect(spans.map(({ kind, status }) => [kind, status])).toEqual([
      ['model', 'succeeded'],
      ['tool', 'failed'],
      ['model', 'succeeded'],
    ]);
    expect(spans[0]?.output).toEqual({
      text: 'Looking',
      toolCalls: [{ name: 'weather__now', arguments: '{"city":"Ulm"}' }],
    });
    expect(spans[1]).toMatchObject({
      name: 'weather__now',
      input: '{"city":"Ulm"}',
      error: { code: 'NOT_FOUND' },
      durationMs: expect.any(Number),
    });
    const starts = spans.map(({ startedAt }) => startedAt);
    expect(starts).toEqual([...starts].sort());
  });

  verifies('turn.trace', 'shows a question, and then its answer', async () => {
    const turnId = randomUUID();
    const session_id = randomUUID();
    await agent.stream({ turnId, session_id, contents: said('/ask Which? | red | blue') });
    const waiting = await traceOf(turnId);
    expect(waiting.spans.at(-1)).toMatchObject({ kind: 'question', status: 'waiting', durationMs: null });
    const pending = await agent.request<{ items: Interaction[] }>(
      'GET',
      `/sessions/${session_id}/interactions/pending`,
    );
    const [question] = pending.body.items;
    const body = {
      sessionId: session_id,
      interactionId: question?.interactionId,
      selectedOptionIds: [question?.options[1]?.id],
    };
    await agent.request('POST', `/turns/${turnId}/resume`, { body, headers: STREAMED });
    const { spans, segments } = await traceOf(turnId);
    expect(segments.map(({ origin }) => origin)).toEqual(['start', 'resume']);
    expect(spans.find(({ kind }) => kind === 'question')).toMatchObject({
      name: 'Which?',
      status: 'succeeded',
      output: { selected: ['blue'] },
      durationMs: expect.any(Number),
    });
  });
});
