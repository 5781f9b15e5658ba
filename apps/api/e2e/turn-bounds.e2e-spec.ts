import { randomUUID } from 'node:crypto';
import type { ContextStatus, Message, Page, Session } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { TurnToolsService } from '../src/turns/engine/turn-tools.service.ts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp, type Answer, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { gate } from './harness/gate.ts';
import { JobCalls } from './harness/job-calls.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { SqlPlans } from './harness/sql-plans.ts';
import { verifies } from './verifies.ts';

/** How a PNG begins, in base64. */
const PNG = 'iVBORw0KGgoA';
const MAX = 3;
/** More than the other tests have open. */
const STREAMS = 30;
const env = { PLATFORM_MAX_RUNNING_TURNS: String(MAX), PLATFORM_MAX_OPEN_STREAMS: String(STREAMS) };

let app: TestApp;
let twin: TestApp;
let model: ScriptedModel;
let agent: AgentCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start({ env });
  twin = await TestApp.start({ database: app, env });
  agent = await AgentCalls.make(app, { baseUrl: model.url });
});

afterAll(async () => {
  await twin.close();
  await app.close();
  await model.close();
});

describe('the running turns of a user', () => {
  let user: TestUser;
  let own: AgentCalls;
  let opened: Promise<void>;
  let letGo: () => void;

  beforeEach(async () => {
    user = await app.addUser('MEMBER');
    own = agent.by(user);
    ({ opened, open: letGo } = gate());
  });
  afterEach(() => letGo());

  const prompt = () => model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
  const start = (via: TestApp = app) => own.via(via).start({ contents: said(prompt()) });

  verifies('turn.limit', 'are at most so many, however many start at once over two processes', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 * MAX }, (_, i) => start(i % 2 === 0 ? app : twin)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([MAX, 3 * MAX]);
    expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused[0]?.json()).toMatchObject({ success: false, code: 'RATE_LIMITED' });
    const executed = await own.request('POST', '/execute', { body: { inputs: { query: 'x' } } });
    expect(executed.status).toBe(429);
    expect((await agent.json({ contents: said(model.prompt()) })).status).toBe(200);
    const [running] = await app.sql<{ count: number }>(`select count(*)::int from turn where user_id = $1`, [
      user.userId,
    ]);
    expect(running?.count).toBe(MAX);
    letGo();
    await Promise.all(answers.filter(({ bodyUsed }) => !bodyUsed).map((answer) => answer.text()));
    expect((await start()).status).toBe(200);
  });

  verifies('stream.most', 'have as many readers as the setting says', async () => {
    const body = { contents: said(prompt()), turnId: randomUUID() };
    const first = await own.open(body);
    const others = await Promise.all(Array.from({ length: STREAMS - 1 }, () => own.attach(body.turnId)));
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await own.request('GET', `/turns/${body.turnId}/stream`)).status).toBe(429);
    letGo();
    await Promise.all([first, ...others].map((stream) => stream.rest()));
  });

  verifies('turn.limit', 'leave jobs QUEUED until there is room', async () => {
    const answers = await Promise.all(Array.from({ length: MAX }, () => start()));
    const jobs = new JobCalls(app, user);
    const job = await jobs.start({ agentId: agent.agentId, contents: said(model.prompt()) });
    // Whoever starts jobs has been past it once a later one of somebody else has run.
    const others = new JobCalls(app);
    const later = await others.start({ agentId: agent.agentId, contents: said(model.prompt()) });
    await others.reached(later, 'COMPLETED');
    expect((await jobs.get(job)).status).toBe('QUEUED');
    letGo();
    await Promise.all(answers.map((answer) => answer.text()));
    await jobs.reached(job, 'COMPLETED');
  });

  verifies('turn.limit', 'count a question only while it is answered', async () => {
    const question = { question: 'Which?', options: [{ label: 'a' }] };
    const asking = model.prompt({
      toolCalls: [{ id: 'q', name: 'ask_user', arguments: JSON.stringify(question) }],
    });
    const [turnId, sessionId] = [randomUUID(), randomUUID()];
    const { body } = await own.json({ turnId, session_id: sessionId, contents: said(asking) });
    const answers = await Promise.all(Array.from({ length: MAX }, () => start()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: MAX }, () => 200));
    const resume = () =>
      own.request('POST', `/turns/${turnId}/resume`, {
        body: {
          sessionId,
          interactionId: body.interaction?.interactionId,
          selectedOptionIds: ['option_1'],
        },
        headers: STREAMED,
      });
    expect((await resume()).status).toBe(429);
    letGo();
    await Promise.all(answers.map((answer) => answer.text()));
    expect((await resume()).status).toBe(200);
  });
});

describe('an execution without memory', () => {
  verifies('execute.forgotten', 'keeps its content for 7 days; that of a job stays', async () => {
    const [asked, working] = [model.prompt(), model.prompt()];
    const answer = await agent.request('POST', '/execute', { body: { inputs: { query: asked } } });
    const turnId = answer.headers.get('X-Turn-Id') ?? '';
    const jobs = new JobCalls(app);
    const job = await jobs.reached(
      await jobs.start({ agentId: agent.agentId, inputs: { query: working } }),
      'COMPLETED',
    );
    const kept = async (id: string) => {
      const [row] = await app.sql<{ items: number }>(
        `select count(i.id)::int as items from turn t left join turn_step i on i.turn_id = t.id
         where t.client_turn_id = $1`,
        [id],
      );
      return row?.items;
    };
    await app.sweep();
    expect(await kept(turnId)).toBe(2);
    const expire = () =>
      app.sql(`update session set expires_at = expires_at - interval '7 days' where expires_at is not null`);
    await expire();
    await app.sweep();
    // It began 7 days ago, and ended just now.
    expect(await kept(turnId)).toBe(2);
    await app.sql(`update turn set finished_at = finished_at - interval '7 days'`);
    await expire();
    await app.sweep();
    expect([await kept(turnId), await kept(job.turnId)]).toEqual([0, 2]);
    expect((await agent.request('GET', `/turns/${turnId}`)).status).toBe(404);
  });

  it('is kept while a question of it waits, and purged in batches', async () => {
    const question = { question: 'Which?', options: [{ label: 'a' }] };
    const query = model.prompt({
      toolCalls: [{ id: 'q', name: 'ask_user', arguments: JSON.stringify(question) }],
    });
    const streamed = await agent.request('POST', '/execute', {
      body: { inputs: { query }, stream: true },
      headers: STREAMED,
    });
    const turnId = streamed.headers.get('X-Turn-Id') ?? '';
    await app.sql(
      `insert into session (space_id, agent_id, user_id, name, hidden, expires_at)
       select space_id, agent_id, user_id, 'old ' || i, true, clock_timestamp() - interval '1 day'
       from turn, generate_series(1, 250) i where client_turn_id = $1`,
      [turnId],
    );
    await app.sql(`update session set expires_at = clock_timestamp() where expires_at is not null`);
    await app.sweep();
    const [left] = await app.sql<{ due: number }>(
      'select count(*)::int as due from session where expires_at < clock_timestamp()',
    );
    expect(left?.due).toBe(0);
    expect((await agent.turn(turnId)).status).toBe('INPUT_REQUIRED');
  });

  /** Executions whose content is due to be deleted, the first one first. */
  async function expired(...ids: string[]): Promise<void> {
    await app.sql(
      `update session set expires_at = clock_timestamp() - interval '1 hour' / array_position($1::text[], t.client_turn_id)
       from turn t where t.session_id = session.id and t.client_turn_id = any($1)`,
      [ids],
    );
    await app.sql(
      `update turn set finished_at = finished_at - interval '7 days' where client_turn_id = any($1)`,
      [ids],
    );
  }

  const execute = async () => {
    const body = { inputs: { query: model.prompt() } };
    return (await agent.request('POST', '/execute', { body })).headers.get('X-Turn-Id') ?? '';
  };

  const stepsOf = async (id: string) =>
    (
      await app.sql('select from turn_step i join turn t on t.id = i.turn_id where t.client_turn_id = $1', [
        id,
      ])
    ).length;

  verifies('execute.forgotten', 'is forgotten although another one cannot be', async () => {
    const [stuck, next] = [await execute(), await execute()];
    await app.sql(`create function keep_${MAX}() returns trigger language plpgsql as $$
      begin
        if exists (select from turn where id = old.turn_id and client_turn_id = '${stuck}') then
          raise 'It cannot be deleted';
        end if;
        return old;
      end $$`);
    await app.sql(
      `create trigger keep_${MAX} before delete on turn_step for each row execute function keep_${MAX}()`,
    );
    try {
      await expired(stuck, next);
      await app.sweep();
      expect([await stepsOf(stuck), await stepsOf(next)]).toEqual([2, 0]);
    } finally {
      await app.sql(`drop function keep_${MAX} cascade`);
    }
    await expired(stuck);
    await app.sweep();
    expect(await stepsOf(stuck)).toBe(0);
  });

  it('keeps its content if it runs again just then', async () => {
    const turnId = await execute();
    await expired(turnId);
    let sweep = Promise.resolve();
    await app.get(DataSource).transaction(async (tx) => {
      const turn = `(select session_id from turn where client_turn_id = '${turnId}')`;
      await tx.query(`select from session where id = ${turn} for no key update`);
      await tx.query(`update turn set status = 'RUNNING' where client_turn_id = '${turnId}'`);
      sweep = app.sweep();
      await eventually(async () => {
        const waiting = await app.sql(`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%for no key update'`);
        expect(waiting).toHaveLength(1);
      });
    });
    await sweep;
    expect(await stepsOf(turnId)).toBe(2);
    await app.sql(`update turn set status = 'COMPLETED' where client_turn_id = $1`, [turnId]);
  });
});

describe('the results of tools in a turn', () => {
  verifies('context.bounded', 'are cut once they have 16 MB', async () => {
    const calls = await AgentCalls.make(app, { baseUrl: model.url, contextWindow: 5_000_000 });
    const text = 'x'.repeat(256 * 1024);
    app.get(TurnToolsService).register({
      toolsFor: async ({ agent }) => {
        const shown = { name: 'dump__all', description: 'Everything', parameters: { type: 'object' } };
        const named = { toolId: 'dump', tool: 'dump', method: 'all', kind: 'test', acts: false };
        return agent.id === calls.agentId ? [{ ...shown, ...named, run: async () => ({ text }) }] : [];
      },
    });
    const step = (n: number) => ({
      toolCalls: Array.from({ length: 36 }, (_, i) => ({
        id: `call_${n}_${i}`,
        name: 'dump__all',
        arguments: '{}',
      })),
    });
    const turnId = randomUUID();
    const { body } = await calls.json({ turnId, contents: said(model.prompt(step(1), step(2))) });
    expect(body.answer).toBe('Hello world!');
    const results = await app.sql<{ bytes: number }>(
      `select i.bytes from turn_step i join turn t on t.id = i.turn_id
       where t.client_turn_id = $1 and i.kind = 'tool-result' order by i.bytes desc`,
      [turnId],
    );
    expect(results).toHaveLength(72);
    expect(results.filter(({ bytes }) => bytes > 256 * 1024).length).toBeGreaterThanOrEqual(64);
    expect(results.at(-1)?.bytes).toBeLessThan(2_000);
    // Five calls run side by side.
    expect(results.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(18 * 1024 * 1024);
  });
});

describe('what is read of a session', () => {
  const MB = 1024 * 1024;
  const text = (i: number, bytes: number) => `${i} ${'x'.repeat(bytes)}`;

  /** A session whose messages were stored before anybody looked at their size. */
  async function sessionOf(calls: AgentCalls, texts: string[]): Promise<string> {
    const session = randomUUID();
    for (const _ of texts) await calls.json({ session_id: session, contents: said('Hi') });
    for (const [i, words] of texts.entries()) {
      const content = JSON.stringify({ parts: [{ type: 'text', text: words }] });
      await app.sql(
        `update turn_step set content = $3::text::json, bytes = case when $2 % 2 = 0 then octet_length($3::text) end
         where n = 1 and turn_id = (select t.id from turn t join session s on s.id = t.session_id
           where s.name = $1 and t.n = $2)`,
        [session, i + 1, content],
      );
    }
    // The pages are made again from what is there now.
    await app.sql('delete from context_page where session_id = (select id from session where name = $1)', [
      session,
    ]);
    return session;
  }

  verifies('turn.history.size', 'messages come in pages of at most 4 MB, one message at least', async () => {
    const offline = await AgentCalls.make(app);
    const session = await sessionOf(offline, [
      text(1, 1),
      text(2, 5 * MB),
      ...[3, 4, 5, 6, 7].map((i) => text(i, 1.5 * MB)),
    ]);
    const path = `/sessions/${session}/messages?limit=200`;
    const sizes: number[] = [];
    const firstWords: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Answer<Page<Message>> = await offline.request(
        'GET',
        `${path}${cursor && `&cursor=${cursor}`}`,
      );
      expect(page.status).toBe(200);
      sizes.push(page.text.length);
      for (const { role, contents } of page.body.items) {
        const [part] = contents;
        if (role === 'user' && part?.type === 'text') firstWords.push(part.text.slice(0, 2));
      }
      cursor = page.body.nextCursor;
    }
    expect(firstWords.map(Number)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(Math.max(...sizes)).toBeLessThan(5.1 * MB);
    expect(sizes.filter((size) => size > 4.1 * MB)).toHaveLength(1);
    expect(sizes.length).toBeGreaterThanOrEqual(4);
  });

  verifies('context.bounded', 'a context is read up to the window, and begins with a message', async () => {
    const small = await AgentCalls.make(app, {
      baseUrl: model.url,
      contextWindow: 8_000,
      maxOutputTokens: 100,
    });
    const session = await sessionOf(
      small,
      [1, 2, 3, 4, 5, 6].map((i) => text(i, 0.4 * MB)),
    );
    // What was said counts little for its length, so that nothing is compacted away.
    await app.sql('update turn_step set tokens = 10');
    const prompt = model.prompt();
    const { body } = await small.json({ session_id: session, contents: said(prompt) });
    expect(body.answer).toBe('Hello world!');
    const sent = model.requests(prompt)[0]?.body.messages as { role: string; content: string }[];
    const spoken = sent.filter(({ role }) => role === 'user').map(({ content }) => content.slice(0, 2));
    expect(spoken).toEqual(['5 ', '6 ', prompt.slice(0, 2)]);
    expect(sent.map(({ role }) => role).slice(0, 3)).toEqual(['system', 'user', 'assistant']);
    const status = await small.request<ContextStatus>('POST', `/sessions/${session}/context/status`);
    expect(status.body.usedTokens).toBeLessThan(8_000);
  });

  verifies('context.bounded', 'media of earlier turns go along up to 16 MB, the newest first', async () => {
    const seeing = await AgentCalls.make(app, {
      baseUrl: model.url,
      contextWindow: 100_000,
      capabilities: { images: true, audio: false, files: false, tools: false },
    });
    const session = randomUUID();
    const image = (letter: string) => ({
      type: 'image_url' as const,
      image_url: { url: `data:image/png;base64,${PNG}${letter.repeat(8 * MB)}` },
    });
    for (const letter of ['A', 'B', 'C'])
      await seeing.json({ session_id: session, contents: [...said(`image ${letter}`), image(letter)] });
    const prompt = model.prompt();
    await seeing.json({ session_id: session, contents: [...said(prompt), image('E')] });
    const sent = JSON.stringify(model.requests(prompt)[0]?.body.messages);
    const seen = ['A', 'B', 'C', 'E'].filter((letter) => sent.includes(`base64,${PNG}${letter.repeat(100)}`));
    expect(seen).toEqual(['B', 'C', 'E']);
    expect(sent).toContain('[an image that was sent earlier]');
  });

  verifies('context.rejected', 'contents that fit no window are a 400, and nothing is stored', async () => {
    const small = await AgentCalls.make(app, {
      baseUrl: model.url,
      contextWindow: 1_000,
      maxOutputTokens: 100,
    });
    const turns = () => app.sql<{ n: number }>('select count(*)::int as n from turn');
    const before = await turns();
    const long = said(text(0, 40_000));
    const refused = await small.json({ contents: long });
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringContaining('contents') },
    });
    const streamed = await small.post({ contents: long });
    const executed = await small.request('POST', '/execute', {
      body: { inputs: { query: text(0, 40_000) } },
    });
    const job = await new JobCalls(app).post({ agentId: small.agentId, contents: long });
    expect([streamed.status, executed.status, job.status]).toEqual([400, 400, 400]);
    expect(await turns()).toEqual(before);
    expect((await small.json({ contents: said(text(0, 4_000)) })).status).toBe(200);
  });
});

describe('what grows', () => {
  const TABLES = [
    'session',
    'turn',
    'turn_step',
    'turn_segment',
    'attachment',
    'interaction',
    'cancel_request',
    'local_tool_call',
    'context_page',
    'context_compaction',
  ];

  /** Years of other people's turns, so that the planner chooses as it would there. */
  async function fill(): Promise<void> {
    const series = 'generate_series(1, 5000) i';
    await app.sql(`insert into platform_user (email, name, password_hash)
      select 'filler' || i || '@example.com', 'F', 'x' from generate_series(1, 100) i`);
    await app.sql(
      `insert into session (space_id, agent_id, user_id, name, hidden, expires_at)
       select $1, $2, u.id, 'filler ' || i, i % 2 = 0, case when i % 2 = 0 then now() + interval '5 days' end
       from (select id, row_number() over () as n from platform_user where email like 'filler%') u
       join ${series} on i % 100 = u.n - 1`,
      [app.admin.spaceId, agent.agentId],
    );
    await app.sql(`insert into turn (space_id, agent_id, user_id, session_id, client_turn_id, n, contents_hash, status,
        settings, model)
      select space_id, agent_id, user_id, id, md5(id || '-' || n)::uuid, n, '', case when n < 4 then 'COMPLETED'
        else (array['COMPLETED', 'RUNNING', 'QUEUED', 'INPUT_REQUIRED'])[1 + length(name) % 4] end, '{}', 'm'
      from session, generate_series(1, 4) n where name like 'filler%'`);
    await app.sql(`insert into stream (id, segment, fencing_token, lease_until, ended_at, last_seq)
      select id, 1, id, now(), now(), 1 from turn where contents_hash = ''`);
    await app.sql(`insert into turn_segment (turn_id, segment, origin, stream_id)
      select id, 1, 'start', id from turn where contents_hash = ''`);
    await app.sql(`insert into turn_step (turn_id, n, kind, content, tokens)
      select id, g, 'model', '{"text":"x"}', 1 from turn t, generate_series(1, 3) g where contents_hash = ''`);
    await app.sql(`insert into interaction (turn_id, call_id, question, status, expires_at)
      select id, 'c', '{}', 'PENDING', now() + interval '5 days' from turn where contents_hash = ''`);
    await app.sql(`insert into local_tool_call (turn_id, call_id, expires_at)
      select id, 'c', now() from turn where contents_hash = ''`);
    await app.sql(`insert into cancel_request (agent_id, user_id, client_turn_id, expires_at)
      select agent_id, user_id, client_turn_id, now() + interval '5 minutes' from turn where contents_hash = ''`);
    await app.sql(`insert into attachment (space_id, session_id, mime, bytes, sha256, data)
      select space_id, id, 'x/y', 0, '', '' from session where name like 'filler%'`);
    await app.sql(`insert into context_page (session_id, from_turn, to_turn, steps)
      select id, n, n, '' from session, generate_series(1, 4) n where name like 'filler%'`);
    await app.sql(`insert into context_compaction (session_id, trigger, status, mark_turn, mark_step, tokens_before,
        at_turn, at_step, model, lease_until)
      select id, 'manual', 'FAILED', 1, 1, 1, 1, 1, 'm', now() from session where name like 'filler%'`);
    await app.sql('analyze');
  }

  it('is read by an index in everything that turns do', async () => {
    await fill();
    const plans = await SqlPlans.attach(app);
    try {
      const session = randomUUID();
      const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PNG}` } };
      await agent.stream({ session_id: session, contents: [...said(model.prompt()), image] });
      const asking = model.prompt({
        toolCalls: [
          { id: 'q', name: 'ask_user', arguments: '{"question":"Which?","options":[{"label":"a"}]}' },
        ],
      });
      const { body } = await agent.json({ session_id: session, contents: said(asking) });
      const { turnId } = body;
      await agent.request('GET', `/sessions/${session}/interactions/pending`);
      await agent.request('POST', `/turns/${turnId}/resume`, {
        body: {
          sessionId: session,
          interactionId: body.interaction?.interactionId,
          selectedOptionIds: ['option_1'],
        },
        headers: STREAMED,
      });
      await agent.turn(turnId);
      await agent.json({ session_id: session, contents: said(asking) });
      await agent.json({ session_id: session, contents: said(model.prompt()) });
      await agent.request('POST', `/turns/${randomUUID()}/cancel`, { body: { sessionId: session } });
      await agent.request('POST', '/execute', { body: { inputs: { query: model.prompt() } } });
      const failing = { contents: said(model.prompt({ kind: 'status', status: 400 })), turnId: randomUUID() };
      await agent.json({ ...failing, session_id: session });
      await agent.json({ ...failing, session_id: session });
      const jobs = new JobCalls(app);
      const job = { agentId: agent.agentId, contents: said(model.prompt()), session_id: session };
      await jobs.reached(await jobs.start(job), 'COMPLETED');
      for (const path of ['compact', 'status', 'undo'])
        await agent.request('POST', `/sessions/${session}/context/${path}`);
      const sessions = await agent.request<Page<Session>>('GET', '/sessions?limit=1');
      await agent.request('GET', `/sessions?limit=1&cursor=${sessions.body.nextCursor ?? ''}`);
      const [message] = await agent.messages(session);
      expect(message).toBeDefined();
      await app.sweep();
      await agent.request('DELETE', `/sessions/${session}`);
      expect(await plans.wholeReads(TABLES, ['agent_job'])).toEqual([]);
      // Neither hidden sessions nor what is not due yet is looked at.
      expect(await plans.indexesOf('ORDER BY "s"."last_turn_at" DESC')).toContain('session_listed');
      expect(await plans.indexesOf('select ctid from cancel_request')).toEqual(['cancel_wish_expiry']);
      expect(await plans.indexesOf('select id from session where expires_at')).toEqual(['session_expiry']);
      expect(await plans.indexesOf('select ctid from local_tool_call')).toEqual(['local_tool_call_expiry']);
      expect(await plans.indexesOf(`where status = 'PENDING' and expires_at`)).toEqual([
        'interaction_expiry',
      ]);
    } finally {
      await plans.close();
    }
  });
});
