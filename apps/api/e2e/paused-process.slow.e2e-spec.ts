import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Turn } from '@platform/contracts';
import { AgentCalls, said, STREAMED } from './harness/agent-calls.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventData, eventNames, readStream, textOf } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { LiveStream } from './harness/live-stream.ts';
import { ServiceProcess } from './harness/process.ts';
import { ScriptedModel } from './harness/scripted-model.ts';

/**
 * Long enough for a busy process to renew its leases in time. By hand with the lease of the service:
 * TEST_LEASE_MS=20000 TEST_PAUSE_MS=40000.
 */
const LEASE_MS = Number(process.env.TEST_LEASE_MS ?? 8_000);
const PAUSE_MS = Number(process.env.TEST_PAUSE_MS ?? 2 * LEASE_MS);
const TURNS = 10;
const WORDS = Array.from({ length: 100 }, (_, i) => ` ${i}`);

let app: TestApp;
let model: ScriptedModel;
let calls: AgentCalls;
let paused: ServiceProcess;
let other: ServiceProcess;

beforeAll(async () => {
  model = await ScriptedModel.start();
  // It has the people and the agent; what is left behind is ended by the processes alone.
  app = await TestApp.start({ env: { PLATFORM_STREAM_LEASE_MS: '600000' } });
  calls = await AgentCalls.make(app, {
    baseUrl: model.url,
    price: { inputPerMillion: 1_000, outputPerMillion: 1_000 },
  });
  const env = {
    DATABASE_URL: app.databaseUrl,
    PLATFORM_SECRET_KEY: app.secretKey,
    PLATFORM_DATA_DIR: app.dataDir,
    PLATFORM_STREAM_LEASE_MS: String(LEASE_MS),
  };
  [paused, other] = await Promise.all([ServiceProcess.spawn(env), ServiceProcess.spawn(env)]);
  await Promise.all([paused.ready(), other.ready()]);
});
afterAll(async () => {
  paused.signal('SIGCONT');
  await Promise.all([paused.kill(), other.kill()]);
  await app.close();
  await model.close();
});

const headers = () => ({
  Authorization: `Bearer ${app.admin.apiKey}`,
  'Content-Type': 'application/json',
  ...STREAMED,
});

const start = (service: ServiceProcess, body: object) =>
  fetch(`${service.url}${calls.path}/chat`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify(body),
  });

const attach = (service: ServiceProcess, turnId: string, segment = 1) =>
  fetch(`${service.url}${calls.path}/turns/${turnId}/stream?segment=${segment}`, { headers: headers() });

const turnOn = async (service: ServiceProcess, turnId: string) =>
  (await (await fetch(`${service.url}${calls.path}/turns/${turnId}`, { headers: headers() })).json()) as Turn;

describe('a process that is stopped in the middle of streams and goes on much later', () => {
  it('doubles no frame, loses none, charges no call twice, and stops what it has lost', async () => {
    const { opened } = gate();
    const turns = await Promise.all(
      Array.from({ length: TURNS }, async (_, i) => {
        // The first call hangs after a while, so that only its own process can end it.
        const prompt = model.prompt(
          { text: WORDS, paceMs: 20, pauseAfter: { chunks: 60, until: opened } },
          { text: WORDS },
        );
        const body = { turnId: randomUUID(), session_id: randomUUID(), contents: said(prompt) };
        const own = new LiveStream(await start(paused, body));
        const remote = new LiveStream(await attach(other, body.turnId));
        return { prompt, body, own, remote, again: i % 2 === 0 };
      }),
    );
    await Promise.all(turns.flatMap(({ own, remote }) => [own.untilSaid(' 5'), remote.untilSaid(' 5')]));

    paused.signal('SIGSTOP');
    const stoppedAt = performance.now();
    const heard = await Promise.all(turns.map(({ remote }) => remote.rest()));
    for (const { frames } of heard) {
      expect(eventNames(frames).slice(-2)).toEqual(['error-occurred', 'stream-ended']);
      expect(eventData(frames, 'error-occurred')).toMatchObject({ code: 'INTERRUPTED', retryable: true });
    }
    for (const { body, again } of turns) {
      expect((await turnOn(other, body.turnId)).status).toBe('FAILED');
      if (!again) continue;
      const { frames } = await readStream(await start(other, body));
      expect(eventData(frames, 'session-started')).toMatchObject({ segment: 2 });
      expect(textOf(frames)).toBe(WORDS.join(''));
    }
    await delay(Math.max(0, stoppedAt + PAUSE_MS - performance.now()));
    paused.signal('SIGCONT');

    // It lets go of the calls that are no longer its own, and its readers hear what the others heard.
    for (const { prompt } of turns) expect(await model.requests(prompt)[0]?.closed).toBe(true);
    const told = await Promise.all(turns.map(({ own }) => own.rest()));
    told.forEach(({ bytes }, i) => expect(bytes === heard[i]?.bytes).toBe(true));
    const { frames } = await readStream(await start(paused, { contents: said(model.prompt()) }));
    expect(textOf(frames)).toBe('Hello world!');

    for (const [i, { prompt, body, again }] of turns.entries()) {
      for (const service of [paused, other]) {
        const first = await readStream(await attach(service, body.turnId));
        expect(first.bytes === heard[i]?.bytes).toBe(true);
        expect(first.frames.map(({ seq }) => seq)).toEqual(first.frames.map((_, at) => at + 1));
        const said = textOf(first.frames);
        expect([said.length > 10, WORDS.join('').startsWith(said)]).toEqual([true, true]);
      }
      const turn = await turnOn(paused, body.turnId);
      expect(turn.status).toBe(again ? 'COMPLETED' : 'FAILED');
      expect(turn.segments).toHaveLength(again ? 2 : 1);
      expect(model.requests(prompt)).toHaveLength(again ? 2 : 1);
      const [charged] = await app.sql<{ calls: number; tokens: number }>(
        `select count(*)::int as calls, sum(prompt_tokens + completion_tokens)::int as tokens
         from usage_entry where turn_id = $1`,
        [body.turnId],
      );
      expect(charged).toEqual({ calls: again ? 2 : 1, tokens: turn.token_usage.total_tokens });
    }
    // Rows follow one another without a gap and without an overlap, also before readers put them together.
    const broken = await app.sql(
      `select from (
         select stream_id, from_seq, lag(to_seq, 1, 0) over (partition by stream_id order by from_seq) as before
         from stream_frame
       ) f where from_seq <> before + 1`,
    );
    expect(broken).toEqual([]);
    await eventually(async () => {
      expect(await app.sql(`select id from stream where ended_at is null`)).toEqual([]);
    });
  });
});
