import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { ErrorBody, Page, Session } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { armFailpoints, disarmFailpoints } from '../src/infra/runtime/failpoints.ts';
import { GuardedHttp } from '../src/infra/outgoing/guarded-http.ts';
import { CatalogService } from '../src/models/catalog/catalog.service.ts';
import { StreamsService } from '../src/streams/streams.service.ts';
import { openAiProvider } from './fixtures/openai-provider.ts';
import type { Behavior } from './fixtures/openai-server.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventData, eventNames, textOf } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

let app: TestApp;
let model: ScriptedModel;
let calls: AgentCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  calls = await AgentCalls.make(app, { baseUrl: model.url });
});
afterAll(async () => {
  await app.close();
  await model.close();
});

/** A turn that the model leaves waiting after its first word, until it is let go. */
function held(): { prompt: string; turnId: string; letGo: () => void } {
  const { opened, open } = gate();
  const prompt = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
  return { prompt, turnId: randomUUID(), letGo: open };
}

async function statusesOf(responses: Response[]): Promise<{ won: Response[]; lost: ErrorBody[] }> {
  const lost = responses.filter(({ status }) => status === 409);
  return {
    won: responses.filter(({ status }) => status === 200),
    lost: await Promise.all(lost.map((response) => response.json() as Promise<ErrorBody>)),
  };
}

describe('a running turn', () => {
  const races: [what: string, count: number, session: boolean][] = [
    ['two starts', 2, false],
    ['two starts in one session', 2, true],
    ['twenty starts', 20, false],
    ['twenty starts in one session', 20, true],
  ];
  for (const [what, count, session] of races) {
    verifies('turn.running.409', `${what} at once: one runs, the rest are 409`, async () => {
      const { prompt, turnId, letGo } = held();
      const body = { contents: said(prompt), turnId, ...(session && { session_id: randomUUID() }) };
      const starts = await Promise.all(Array.from({ length: count }, () => calls.start(body)));
      const { won, lost } = await statusesOf(starts);
      expect([won.length, lost.length]).toEqual([1, count - 1]);
      for (const error of lost)
        expect(error).toEqual({
          success: false,
          code: 'CONFLICT',
          message: `Turn ${turnId} is already running`,
        });
      letGo();
      expect(await won[0]?.text()).toContain('"response-completed"');
      expect(model.requests(prompt)).toHaveLength(1);
    });
  }

  verifies('turn.running.409', 'rejects a second start, streamed or not, until it has ended', async () => {
    const { prompt, turnId, letGo } = held();
    const body = { contents: said(prompt), turnId };
    const first = await calls.open(body);
    await first.until('content-delta');
    expect((await calls.post(body)).status).toBe(409);
    expect((await calls.json(body)).status).toBe(409);
    expect((await calls.post({ ...body, turnId: turnId.toUpperCase() })).status).toBe(409);
    expect((await calls.turn(turnId)).status).toBe('RUNNING');
    letGo();
    const { bytes } = await first.rest();
    expect((await calls.stream(body)).bytes).toBe(bytes);
  });

  verifies('turn.session.busy', 'keeps its session busy, and no other', async () => {
    const { prompt, turnId, letGo } = held();
    const session_id = randomUUID();
    const first = await calls.open({ contents: said(prompt), turnId, session_id });
    await first.until('content-delta');
    const next = { contents: said('Next'), session_id };
    for (const answer of [await calls.post(next), await calls.json(next)])
      expect([answer.status, answer.body]).toEqual([
        409,
        { success: false, code: 'CONFLICT', message: expect.stringContaining(turnId) },
      ]);
    expect((await calls.request('DELETE', `/sessions/${session_id}`)).status).toBe(409);
    expect((await calls.json({ ...next, session_id: randomUUID() })).status).toBe(200);
    expect((await calls.by(app.member).json(next)).status).toBe(200);
    const { body: busy } = await calls.request<Session>('GET', `/sessions/${session_id}`);
    expect(busy).toMatchObject({ runningTurnId: turnId, turnCount: 1 });
    letGo();
    await first.rest();
    expect((await calls.json(next)).status).toBe(200);
    const { body: free } = await calls.request<Session>('GET', `/sessions/${session_id}`);
    expect(free).toMatchObject({ runningTurnId: null, turnCount: 2 });
  });

  verifies(
    'turn.session.busy',
    'twenty turns of one session at once: one runs, the rest name it',
    async () => {
      const { prompt, letGo } = held();
      const session_id = randomUUID();
      const starts = await Promise.all(
        Array.from({ length: 20 }, () =>
          calls.start({ contents: said(prompt), turnId: randomUUID(), session_id }),
        ),
      );
      const { won, lost } = await statusesOf(starts);
      expect([won.length, lost.length]).toEqual([1, 19]);
      const turnId = won[0]?.headers.get('x-turn-id') ?? 'none';
      for (const { message } of lost) expect(message).toContain(turnId);
      letGo();
      await won[0]?.text();
      expect(model.requests(prompt)).toHaveLength(1);
    },
  );
});

describe('a turn sent again', () => {
  verifies('turn.repeat.recorded', 'returns the same bytes; the model is called once', async () => {
    const prompt = model.prompt();
    const turnId = randomUUID();
    const session_id = randomUUID();
    const contents = [
      ...said(prompt),
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
    ];
    const first = await calls.stream({ contents, turnId, session_id });
    expect(textOf(first.frames)).toBe('Hello world!');

    const reordered = [
      { text: prompt, type: 'text' },
      { image_url: { detail: 'low', url: 'https://example.com/a.png' }, type: 'image_url' },
    ];
    const again = await Promise.all([
      calls.stream({ contents, turnId, session_id }),
      calls.stream({ contents, turnId }),
      calls.stream({ contents: reordered, turnId }),
      calls.stream({ contents, turnId: turnId.toUpperCase() }),
      calls.stream({ contents, turnId, settings: { temperature: 1 } }),
    ]);
    for (const { bytes } of again) expect(bytes).toBe(first.bytes);

    const { token_usage, execution_time } = eventData(first.frames, 'response-completed');
    const { body, headers } = await calls.json({ contents, turnId });
    expect(body).toMatchObject({ answer: 'Hello world!', turnId, token_usage, execution_time });
    expect(headers.get('x-turn-id')).toBe(turnId);
    expect(model.requests(prompt)).toHaveLength(1);
    const turn = await calls.turn(turnId);
    expect(turn.segments).toHaveLength(1);
    expect(turn.token_usage).toEqual(token_usage);
  });

  verifies('turn.repeat.recorded', 'first as JSON, then streamed, is the same turn', async () => {
    const prompt = model.prompt();
    const turnId = randomUUID();
    const { body } = await calls.json({ contents: said(prompt), turnId });
    const { frames } = await calls.stream({ contents: said(prompt), turnId });
    expect(textOf(frames)).toBe(body.answer);
    expect((await calls.json({ contents: said(prompt), turnId })).body).toEqual(body);
    expect(model.requests(prompt)).toHaveLength(1);
  });

  verifies('turn.repeat.recorded', 'is another turn for another user or agent', async () => {
    const prompt = model.prompt();
    const body = { contents: said(prompt), turnId: randomUUID() };
    const another = await AgentCalls.make(app, { baseUrl: model.url });
    await calls.stream(body);
    await calls.by(app.member).stream(body);
    await another.stream(body);
    expect(model.requests(prompt)).toHaveLength(3);
  });

  verifies(
    'turn.repeat.other',
    'with other contents or another session is a 409 that says which',
    async () => {
      const turnId = randomUUID();
      const session_id = randomUUID();
      const contents = said(model.prompt());
      await calls.json({ contents, turnId, session_id });
      const conflict = async (body: object) => {
        const answer = await calls.post<ErrorBody>({ turnId, ...body });
        expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT']);
        return answer.body.message;
      };
      expect(await conflict({ contents: said('Other') })).toContain('other contents');
      expect(await conflict({ contents: [...contents, ...contents] })).toContain('other contents');
      expect(await conflict({ contents, session_id: randomUUID() })).toContain('another session_id');
      expect(await conflict({ contents: said('Other'), session_id })).toContain('other contents');
    },
  );
});

describe('a failing provider', () => {
  const failures: [what: string, behaviors: Behavior[], partial: string][] = [
    ['closes the connection', [{ kind: 'cut' }, { kind: 'cut' }], ''],
    [
      'fails',
      [
        { kind: 'status', status: 500 },
        { kind: 'status', status: 503 },
      ],
      '',
    ],
    ['refuses the key', [{ kind: 'status', status: 401 }], ''],
    ['refuses the request', [{ kind: 'status', status: 400, code: 'bad' }], ''],
    ['has too many requests', [{ kind: 'status', status: 429, retryAfter: '30' }], ''],
    ['cuts its answer', [{ text: ['Half', ' way'], breakAfter: { chunks: 2, how: 'cut' } }], 'Half'],
    ['ends its answer early', [{ text: ['Half', ' way'], breakAfter: { chunks: 2, how: 'end' } }], 'Half'],
    ['talks nonsense', [{ text: ['Half', ' way'], breakAfter: { chunks: 2, how: 'nonsense' } }], 'Half'],
    ['breaks off with an error', [{ text: ['Half'], breakAfter: { chunks: 2, how: 'error' } }], 'Half'],
  ];

  /** What a failed turn leaves, and that it runs again. */
  async function failsAndRecovers(calls: AgentCalls, prompt: string, partial: string): Promise<void> {
    const body = { contents: said(prompt), turnId: randomUUID(), session_id: randomUUID() };
    const failed = await calls.stream({ ...body });
    expect(eventNames(failed.frames).slice(-2)).toEqual(['error-occurred', 'stream-ended']);
    expect(eventNames(failed.frames)).not.toContain('response-completed');
    expect(failed.frames.filter(({ method }) => method === 'lifecycle').at(-1)?.params.data.event).toBe(
      'failed',
    );
    const error = eventData(failed.frames, 'error-occurred');
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/^The model's server .*\.$/),
      turnId: body.turnId,
      requestId: failed.headers.get('x-request-id'),
      retryable: expect.any(Boolean),
    });
    expect(error.message).not.toMatch(/127\.0\.0\.1|https?:|Bearer|engine/i);
    expect(textOf(failed.frames)).toBe(partial);

    const { code, message, retryable } = error;
    expect(await calls.turn(body.turnId)).toMatchObject({
      status: 'FAILED',
      error: { code, message, retryable },
      segments: [{ segment: 1, origin: 'start', ended: true, lastSeq: failed.frames.length }],
    });
    const kept = await calls.messages(body.session_id);
    const shown = kept.map(({ role, contents, turnStatus }) => [role, contents, turnStatus]);
    expect(shown).toEqual([
      ...(partial ? [['assistant', said(partial), 'FAILED']] : []),
      ['user', said(prompt), 'FAILED'],
    ]);

    const again = await calls.stream(body);
    expect(textOf(again.frames)).toBe('Hello world!');
    expect(eventData(again.frames, 'session-started')).toMatchObject({ segment: 2, resumed: false });
    expect(await calls.turn(body.turnId)).toMatchObject({
      status: 'COMPLETED',
      error: null,
      segments: [
        { segment: 1, origin: 'start', ended: true },
        { segment: 2, origin: 'rerun', ended: true, lastSeq: again.frames.length },
      ],
    });
    expect((await calls.stream(body)).bytes).toBe(again.bytes);
    const first = await calls.attach(body.turnId, '?segment=1');
    expect((await first.rest()).bytes).toBe(failed.bytes);
  }

  for (const [what, behaviors, partial] of failures) {
    verifies(
      ['turn.failure.stream', 'turn.repeat.failed'],
      `that ${what}: error-occurred and an ended stream, the partial text kept; sent again it runs again`,
      () => failsAndRecovers(calls, model.prompt(...behaviors), partial),
    );
  }

  verifies('turn.failure.stream', 'that is not there: error-occurred, and it names no address', async () => {
    const away = await AgentCalls.make(app, { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'canary-key' });
    const { frames } = await away.stream({ contents: said('Hi') });
    expect(eventNames(frames)).toEqual(['session-started', 'error-occurred', 'stream-ended']);
    const { code, message } = eventData(frames, 'error-occurred');
    expect(code).toBe('UNAVAILABLE');
    expect(message).not.toMatch(/127\.0\.0\.1|canary/);
    const { status, headers } = await away.json({ contents: said('Hi') });
    expect([status, headers.get('x-turn-id')]).toEqual([503, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  describe('that is silent', () => {
    beforeAll(() => {
      // The real adapter with less patience, but with more than a busy process pauses: what should come still comes.
      const dispatcher = app.get(GuardedHttp).dispatcher({ allowLoopback: true });
      const hasty = openAiProvider(model.url, null, { dispatcher, stallMs: 5_000 });
      const catalog = app.get(CatalogService);
      const resolve = catalog.resolve.bind(catalog);
      jest.spyOn(catalog, 'resolve').mockImplementation(async (...asked) => {
        return { ...(await resolve(...asked)), provider: hasty };
      });
    });
    afterAll(() => {
      jest.restoreAllMocks();
    });

    verifies(['turn.failure.stream', 'turn.repeat.failed'], 'from the start is given up', async () => {
      const prompt = model.prompt({ kind: 'hang' });
      await failsAndRecovers(calls, prompt, '');
      expect(await model.requests(prompt)[0]?.closed).toBe(true);
    });

    verifies(['turn.failure.stream', 'turn.repeat.failed'], 'in the middle is given up', () =>
      failsAndRecovers(
        calls,
        model.prompt({ text: ['Half'], breakAfter: { chunks: 2, how: 'hang' } }),
        'Half',
      ),
    );

    verifies('turn.failure.json', 'is a 503 for a JSON response', async () => {
      const { status, body } = await calls.json({ contents: said(model.prompt({ kind: 'hang' })) });
      expect([status, body]).toMatchObject([503, { success: false, code: 'UNAVAILABLE' }]);
    });
  });

  verifies(
    'turn.failure.json',
    'is a 503 for a JSON answer, with the turn and when to come again',
    async () => {
      const expected = [
        503,
        { success: false, code: 'UNAVAILABLE', message: expect.stringContaining('server') },
      ];
      for (const [, behaviors, partial] of failures) {
        const turnId = randomUUID();
        const session_id = randomUUID();
        const answer = await calls.json({ contents: said(model.prompt(...behaviors)), turnId, session_id });
        expect([answer.status, answer.body]).toEqual(expected);
        expect(answer.headers.get('x-turn-id')).toBe(turnId);
        expect((await calls.turn(turnId)).status).toBe('FAILED');
        expect(await calls.messages(session_id)).toHaveLength(partial ? 2 : 1);
      }
      const prompt = model.prompt({ kind: 'status', status: 429, retryAfter: '30' });
      const busy = await calls.json({ contents: said(prompt) });
      expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '30']);
      expect(model.requests(prompt)).toHaveLength(1);
    },
  );

  verifies('turn.failure.stream', 'says when to retry, if known', async () => {
    const prompt = model.prompt({ kind: 'status', status: 429, retryAfter: '30' });
    const { frames } = await calls.stream({ contents: said(prompt) });
    expect(eventData(frames, 'error-occurred')).toMatchObject({ retryable: true, retryAfter: 30 });
  });

  verifies(
    'turn.failure.json',
    'that the catalog does not know is a 503 that names it; nothing starts',
    async () => {
      const lost = await AgentCalls.make(app, null, { model: 'model-x' });
      const turnId = randomUUID();
      for (const stream of [true, false]) {
        const { status, body } = await lost.post({ contents: said('Hi'), turnId, stream });
        expect([status, body.code, body.message]).toEqual([
          503,
          'UNAVAILABLE',
          expect.stringContaining('model-x'),
        ]);
      }
      expect((await lost.request('GET', `/turns/${turnId}`)).status).toBe(404);
    },
  );

  verifies('turn.repeat.failed', 'ten retries at once of a failed turn: one runs', async () => {
    const { opened, open: letGo } = gate();
    const prompt = model.prompt(
      { kind: 'status', status: 401 },
      { text: ['Well'], pauseAfter: { chunks: 1, until: opened } },
    );
    const body = { contents: said(prompt), turnId: randomUUID() };
    await calls.stream(body);
    const { won, lost } = await statusesOf(
      await Promise.all(Array.from({ length: 10 }, () => calls.start(body))),
    );
    expect([won.length, lost.length]).toEqual([1, 9]);
    letGo();
    expect(await won[0]?.text()).toContain('"Well"');
    expect(model.requests(prompt)).toHaveLength(2);
    expect((await calls.turn(body.turnId)).segments).toHaveLength(2);
  });

  verifies('turn.repeat.failed', 'the text of a rerun replaces the text of the failed run', async () => {
    const prompt = model.prompt({ text: ['Half', ' way'], breakAfter: { chunks: 2, how: 'cut' } });
    const session_id = randomUUID();
    const body = { contents: said(prompt), turnId: randomUUID(), session_id };
    await calls.stream(body);
    await calls.stream(body);
    const messages = await calls.messages(session_id);
    expect(messages.map(({ contents }) => contents)).toEqual([said('Hello world!'), said(prompt)]);
    const next = model.prompt();
    await calls.stream({ contents: said(next), session_id });
    expect(model.requests(next)[0]?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'Hello world!' },
      { role: 'user', content: next },
    ]);
  });
});

describe('a failure of our own', () => {
  verifies('turn.failure.stream', 'in a running turn is SERVER_ERROR and reveals nothing', async () => {
    armFailpoints(['turns.run']);
    try {
      const body = { contents: said('Hi'), turnId: randomUUID() };
      const { frames } = await calls.stream(body);
      expect(eventData(frames, 'error-occurred')).toMatchObject({
        code: 'SERVER_ERROR',
        message: 'Something went wrong on our side',
        retryable: true,
      });
      const { status, body: error } = await calls.json({ contents: said('Hi') });
      expect([status, error]).toEqual([
        500,
        { success: false, code: 'SERVER_ERROR', message: 'Something went wrong on our side' },
      ]);
      disarmFailpoints();
      expect(textOf((await calls.stream(body)).frames)).toBe('Hello world!');
    } finally {
      disarmFailpoints();
    }
  });

  verifies(
    'turn.persist-pending',
    'in the closing transaction is told and tried again until it ends well',
    async () => {
      const session_id = randomUUID();
      const body = { contents: said(model.prompt()), turnId: randomUUID(), session_id };
      armFailpoints(['turns.close']);
      try {
        const stream = await calls.open(body);
        await stream.until('turn-persist-pending');
        expect((await calls.turn(body.turnId)).status).toBe('RUNNING');
        disarmFailpoints();
        const { frames, bytes } = await stream.rest();
        expect(eventData(frames, 'turn-persist-pending')).toMatchObject({ turnId: body.turnId, attempt: 1 });
        expect(eventNames(frames).slice(-2)).toEqual(['response-completed', 'stream-ended']);
        expect(eventNames(frames).filter((name) => name === 'response-completed')).toHaveLength(1);
        expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, i) => i + 1));
        expect(eventData(frames, 'stream-ended').lastSeq).toBe(frames.length);
        expect(textOf(frames)).toBe('Hello world!');
        expect(await calls.turn(body.turnId)).toMatchObject({ status: 'COMPLETED', error: null });
        expect(await calls.messages(session_id)).toHaveLength(2);
        expect((await calls.stream(body)).bytes).toBe(bytes);
      } finally {
        disarmFailpoints();
      }
    },
  );
});

describe('a stopped turn', () => {
  verifies('turn.abort', 'closes the socket to the model immediately and keeps the text', async () => {
    const cancel = async (turnId: string) => {
      const [row] = await app.sql<{ id: string }>(
        'select g.stream_id as id from turn_segment g join turn t on t.id = g.turn_id where t.client_turn_id = $1',
        [turnId],
      );
      await app.get(StreamsService).requestCancel(app.get(DataSource), row?.id ?? '');
    };
    const silent = model.prompt({ kind: 'hang' });
    const { prompt: talking } = held();
    for (const [prompt, text] of [
      [silent, ''],
      [talking, 'One'],
    ] as const) {
      const body = { contents: said(prompt), turnId: randomUUID(), session_id: randomUUID() };
      const stream = await calls.open(body);
      if (text) await stream.until('content-delta');
      await cancel(body.turnId);
      const { frames } = await stream.rest();
      const [request] = model.requests(prompt);
      // Where the model was not called yet there is no socket.
      if (request) expect(await request.closed).toBe(true);
      else expect(text).toBe('');
      expect(textOf(frames)).toBe(text);
      expect(eventData(frames, 'response-completed')).toMatchObject({ finishReason: 'cancelled' });
      expect(eventNames(frames)).not.toContain('error-occurred');
      expect((await calls.turn(body.turnId)).status).toBe('CANCELLED');
      expect((await calls.json(body)).body).toMatchObject({ status: 'cancelled', answer: text });
      expect(await calls.messages(body.session_id)).toHaveLength(text ? 2 : 1);
    }
  });
});

describe('reading', () => {
  verifies(
    'turn.get',
    'a turn tells status, usage, timings and segments, while it runs and after',
    async () => {
      const { prompt, turnId, letGo } = held();
      const stream = await calls.open({ contents: said(prompt), turnId, session_id: 'kept' });
      await stream.until('content-delta');
      const common = {
        turnId,
        sessionId: 'kept',
        agentId: calls.agentId,
        error: null,
        model: expect.stringMatching(/^model-/),
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      };
      const running = await calls.turn(turnId);
      expect(running).toEqual({
        ...common,
        status: 'RUNNING',
        token_usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost: 0 },
        finishedAt: null,
        execution_time: null,
        segments: [{ segment: 1, origin: 'start', lastSeq: expect.any(Number), ended: false }],
      });
      letGo();
      const { frames } = await stream.rest();
      const { execution_time } = eventData(frames, 'response-completed');
      expect(await calls.turn(turnId.toUpperCase())).toEqual({
        ...common,
        status: 'COMPLETED',
        token_usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12, cost: 0 },
        finishedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        execution_time,
        segments: [{ segment: 1, origin: 'start', lastSeq: frames.length, ended: true }],
      });

      const another = await AgentCalls.make(app);
      const strangers = [
        calls.by(app.member).request('GET', `/turns/${turnId}`),
        calls.by(app.member).request('GET', `/turns/${turnId}/stream`),
        another.request('GET', `/turns/${turnId}`),
        calls.request('GET', `/turns/${randomUUID()}`),
        calls.request('GET', '/turns/no-uuid'),
        calls.request('GET', '/turns/%00'),
      ];
      for (const answer of await Promise.all(strangers)) {
        expect([answer.status, answer.body]).toMatchObject([404, { success: false, code: 'NOT_FOUND' }]);
      }
    },
  );

  verifies('turn.history', 'sessions come the latest first, in pages', async () => {
    const own = calls.by(await app.addUser('MEMBER'));
    const title = 'What is the meaning of life, the universe and everything, and why is it 42 and not 41?';
    for (const [session_id, text] of [
      ['a', 'First'],
      ['b', `  ${title}\n`],
      ['c', 'Third'],
      ['a', 'Fourth'],
    ] as const)
      await own.json({ contents: said(text), session_id });
    const list = async (query: string) => (await own.request<Page<Session>>('GET', `/sessions${query}`)).body;
    const { items, nextCursor } = await list('?limit=2');
    expect(items).toEqual([
      {
        sessionId: 'a',
        agentId: calls.agentId,
        title: 'First',
        turnCount: 2,
        runningTurnId: null,
        createdAt: expect.stringMatching(/Z$/),
        lastTurnAt: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({ sessionId: 'c', turnCount: 1 }),
    ]);
    const rest = await list(`?limit=2&cursor=${nextCursor}`);
    expect([rest.items.map(({ sessionId }) => sessionId), rest.nextCursor]).toEqual([['b'], null]);
    expect(rest.items[0]?.title).toBe(`${title.slice(0, 78)}…`);
    expect((await own.request('GET', '/sessions?cursor=x')).status).toBe(400);
    expect((await calls.request<Page<Session>>('GET', `/sessions?cursor=${nextCursor}`)).status).toBe(400);
  });

  verifies('turn.history', 'messages come newest first, media as links, for their owner alone', async () => {
    const session_id = `a/b?c=${randomUUID()} é`;
    const path = `/sessions/${encodeURIComponent(session_id)}`;
    const pdf = Buffer.from('%PDF');
    const url = `data:application/pdf;base64,${pdf.toString('base64')}`;
    const contents = [
      ...said('See'),
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'file', file_info: { url, name: 'a.pdf', of: 'mine' } },
    ];
    const turnId = randomUUID();
    await calls.json({ contents, session_id, turnId });
    await calls.json({ contents: said('Thanks'), session_id });

    const messages = await calls.messages(session_id);
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'user']);
    const attachment = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      mime: 'application/pdf',
      bytes: 4,
      url: expect.stringContaining(`${calls.path}${path}/attachments/`),
    };
    expect(messages.at(-1)).toEqual({
      id: expect.any(String),
      turnId,
      role: 'user',
      turnStatus: 'COMPLETED',
      createdAt: expect.stringMatching(/Z$/),
      contents: [
        contents[0],
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'auto' } },
        { type: 'file', file_info: { url: attachment.url, name: 'a.pdf', of: 'mine' }, attachment },
      ],
    });
    expect(JSON.stringify(messages)).not.toContain(pdf.toString('base64'));

    const [, , file] = messages.at(-1)?.contents ?? [];
    const link = file?.type === 'file' ? (file.attachment?.url ?? '') : '';
    const medium = await app.request('GET', link);
    expect([medium.status, medium.text, medium.headers.get('content-type')]).toEqual([
      200,
      '%PDF',
      'application/pdf',
    ]);
    expect(medium.headers.get('content-disposition')).toBe('attachment');
    expect(medium.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await app.request('GET', link, { as: app.member })).status).toBe(404);
    expect((await app.request('GET', link, { as: null })).status).toBe(401);
    expect((await app.request('GET', `${link}0`)).status).toBe(404);

    const [first, second] = [`${path}/messages?limit=3`, `${path}/messages?limit=3&cursor=`];
    const page = (await calls.request<Page<{ id: string }>>('GET', first)).body;
    const next = (await calls.request<Page<{ id: string }>>('GET', `${second}${page.nextCursor}`)).body;
    const ids = [...page.items, ...next.items].map(({ id }) => id);
    expect([ids, next.nextCursor]).toEqual([messages.map(({ id }) => id), null]);
  });

  verifies(
    'turn.history',
    'deleting a session hides it and all that is in it; its name is free again',
    async () => {
      const session_id = randomUUID();
      const path = `/sessions/${session_id}`;
      const prompt = model.prompt();
      const turnId = randomUUID();
      const failing = { contents: said(model.prompt({ kind: 'status', status: 401 })), turnId: randomUUID() };
      await calls.json({ contents: said(prompt), session_id, turnId });
      await calls.json({ ...failing, session_id });
      expect((await calls.by(app.member).request('DELETE', path)).status).toBe(404);
      expect((await calls.request('DELETE', path)).status).toBeLessThan(300);
      for (const hidden of [path, `${path}/messages`, `/turns/${turnId}`, `/turns/${turnId}/stream`])
        expect([hidden, (await calls.request('GET', hidden)).status]).toEqual([hidden, 404]);
      expect((await calls.request('DELETE', path)).status).toBe(404);

      for (const body of [{ contents: said(prompt), turnId }, failing]) {
        const { status, body: error } = await calls.post<ErrorBody>(body);
        expect([status, error.message]).toEqual([409, expect.stringContaining('deleted')]);
      }
      const next = model.prompt();
      await calls.json({ contents: said(next), session_id });
      expect(model.requests(next)[0]?.body.messages).toHaveLength(2);
      expect(await calls.messages(session_id)).toHaveLength(2);
    },
  );

  verifies('turn.history', 'a session is not deleted beside a start that was first', async () => {
    const turnId = randomUUID();
    const session_id = randomUUID();
    await calls.json({ contents: said(model.prompt()), session_id, turnId });
    const deleted = await app.get(DataSource).transaction(async (tx) => {
      // As a start does: it locks the session, and its turn is seen once it has committed.
      await tx.query('select from session where name = $1 for no key update', [session_id]);
      await tx.query(`update turn set status = 'RUNNING' where client_turn_id = $1`, [turnId]);
      const answer = calls.request('DELETE', `/sessions/${session_id}`);
      await eventually(async () => {
        const waiting = await app.sql(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        expect(waiting).toHaveLength(1);
      });
      return { answer };
    });
    expect((await deleted.answer).status).toBe(409);
    await app.sql(`update turn set status = 'COMPLETED' where client_turn_id = $1`, [turnId]);
    expect((await calls.request('GET', `/sessions/${session_id}`)).status).toBe(200);
  });

  verifies('turn.history', 'a session of a name that cannot be is a 404', async () => {
    for (const name of ['%00', 'nothing', '%ED%A0%80'])
      expect([name, (await calls.request('GET', `/sessions/${name}/messages`)).status]).toEqual([
        name,
        name === '%ED%A0%80' ? 400 : 404,
      ]);
  });
});

describe('tools', () => {
  verifies(
    'turn.tools.unknown',
    'that were not offered are told to the model as errors; the turn goes on',
    async () => {
      const prompt = model.prompt(
        {
          text: ['Let me look. '],
          toolCalls: [
            { id: 'call_1', name: 'weather__now', arguments: '{"city":"Ulm"}' },
            { id: 'call_2', name: 'broken__call', arguments: '{"city":' },
          ],
        },
        { text: ['I cannot.'] },
      );
      const session_id = randomUUID();
      const body = { contents: said(prompt), session_id, turnId: randomUUID() };
      const { frames } = await calls.stream(body);
      const executions = frames
        .filter(({ params }) => params.data.event === 'tool-execution')
        .map(({ params }) => params.data);
      expect(executions.filter(({ status }) => status === 'started')).toHaveLength(2);
      // They run side by side and may end in any order.
      const failed = executions.filter(({ status }) => status === 'failed');
      failed.sort((a, b) => String(a.callId).localeCompare(String(b.callId)));
      expect(failed).toEqual([
        expect.objectContaining({
          callId: 'call_1',
          tool: 'weather__now',
          arguments: { city: 'Ulm' },
          error: { code: 'NOT_FOUND', message: expect.stringContaining('weather__now') },
          durationMs: expect.any(Number),
        }),
        expect.objectContaining({ callId: 'call_2', arguments: {} }),
      ]);
      expect(textOf(frames)).toBe('Let me look. I cannot.');
      expect(eventData(frames, 'response-completed')).toMatchObject({ tokens_used: 10 + 3 + 10 + 1 });

      const [, second] = model.requests(prompt);
      const messages = second?.body.messages as object[];
      expect(messages.slice(0, 3)).toMatchObject([
        { role: 'system' },
        { role: 'user' },
        { role: 'assistant', content: 'Let me look. ', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
      ]);
      const told = ['call_1', 'call_2'].map((tool_call_id): unknown =>
        expect.objectContaining({ role: 'tool', tool_call_id, content: expect.stringContaining('"error"') }),
      );
      expect(messages).toHaveLength(5);
      expect(messages).toEqual(expect.arrayContaining(told));
      const { body: answer } = await calls.json(body);
      expect(answer.toolExecutions).toMatchObject([
        { callId: 'call_1', status: 'failed' },
        { callId: 'call_2', status: 'failed' },
      ]);
      expect((await calls.messages(session_id)).map(({ contents }) => contents)).toEqual([
        said('I cannot.'),
        said('Let me look. '),
        said(prompt),
      ]);
    },
  );

  verifies('turn.tools.unknown', 'a model that never stops calling them is stopped', async () => {
    const call = (id: string): Behavior => ({ toolCalls: [{ id, name: 'again', arguments: '{}' }] });
    const prompt = model.prompt(...Array.from({ length: 30 }, (_, i) => call(`call_${i}`)));
    const { frames } = await calls.stream({ contents: said(prompt) });
    expect(eventData(frames, 'error-occurred').message).toContain('25');
    expect(model.requests(prompt)).toHaveLength(25);
  });
});
