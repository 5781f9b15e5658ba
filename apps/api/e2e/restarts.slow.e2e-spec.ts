import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { auditLedger } from '../src/usage/ledger-audit.store.ts';
import { UsageService } from '../src/usage/usage.service.ts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type Answer } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventNames, framesIn, textOf } from './harness/frames.ts';
import { PostgresServer } from './harness/postgres.ts';

/** How long the database crashes again and again; more by hand. */
const SECONDS = Number(process.env.RESTART_SECONDS ?? 20);
const STREAMS = 50;
const RESTART_EVERY_MS = 5_000;
/** As long as that of the service: a database that is slow to come back costs no stream its lease. */
const LEASE_MS = 20_000;
/** Answers of about six seconds. */
const WORDS = Array.from({ length: 60 }, (_, i) => `word${i} `);

jest.setTimeout((SECONDS + 120) * 1_000);

let postgres: PostgresServer;
let openai: FakeOpenAiServer;
let app: TestApp;
let calls: AgentCalls;

beforeAll(async () => {
  postgres = await PostgresServer.start();
  // Each turn calls a tool, then answers at length; a prompt that is short gets a short answer at once.
  openai = await startOpenAiServer({
    behavior: (body) => {
      const messages = body.messages as { role: string; content: string }[];
      const prompt = messages.findLast(({ role }) => role === 'user')?.content ?? '';
      if (prompt === 'short' || prompt === 'relayed') return { text: ['Hello'] };
      if (messages.at(-1)?.role === 'user')
        return { toolCalls: [{ id: 'call_1', name: 'current_time__now', arguments: '{}' }] };
      return { text: WORDS, paceMs: 100 };
    },
  });
  app = await TestApp.start({
    databaseUrl: await postgres.database(),
    env: { PLATFORM_STREAM_LEASE_MS: String(LEASE_MS) },
  });
  const tools = [{ toolId: 'current_time', methods: null }];
  calls = await AgentCalls.make(app, { baseUrl: openai.url }, { tools });
  // With a balance every call holds tokens.
  await app.request('POST', '/api/usage/grants', { body: { tokens: 1_000_000_000 } });
});

afterAll(async () => {
  await app.close();
  await openai.close();
  await postgres.stop();
});

/** Every answer by its status; those with another body than an error of ours by their text. */
class Tally {
  readonly counts = new Map<string, number>();

  note(status: number, { body, headers, text }: Pick<Answer, 'body' | 'headers' | 'text'>): void {
    const code = body.code ?? (body.error as { code?: unknown } | undefined)?.code;
    const away = code === 'UNAVAILABLE' || code === 'service_unavailable';
    const told = status === 503 && headers.has('retry-after') && away;
    this.add(status < 500 || told ? String(status) : `${status} ${text}`);
  }

  add(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  get strange(): string[] {
    return [...this.counts.keys()].filter((key) => !['200', '201', '202', '429', '503'].includes(key));
  }
}

describe('a database that crashes every five seconds', () => {
  it('costs no stream its end, no caller a 500 and the ledger no token', async () => {
    const tally = new Tally();
    const streams: { turnId: string; bytes: string }[] = [];
    let restarts = 0;
    let relayed = 0;
    const end = performance.now() + SECONDS * 1_000;
    /** On a slow machine a restart can take long. */
    const isOver = () => performance.now() > end && restarts > 1;

    const crashing = (async () => {
      while (!isOver()) {
        await delay(RESTART_EVERY_MS);
        await postgres.restart();
        restarts++;
      }
    })();

    /**
     * One place of the fifty: a stream after the other, so that each crash meets every part of a turn. On a slow machine
     * its first stream may begin only after the last crash.
     */
    const streaming = async (_: unknown, place: number) => {
      await delay((place * 6_000) / STREAMS);
      for (let begun = 0; begun === 0 || !isOver();) {
        const turnId = randomUUID();
        const response = await calls.start({ contents: said('long'), turnId });
        const { status, headers } = response;
        const text = await response.text();
        if (status === 200) {
          begun++;
          streams.push({ turnId, bytes: text });
        } else {
          tally.note(status, { headers, text, body: JSON.parse(text) as object as Answer['body'] });
          await delay(200);
        }
      }
    };

    const calling = async (method: string, path: string, body?: unknown) => {
      while (!isOver()) {
        const answer = await app.request(method, path, { body });
        tally.note(answer.status, answer);
        if (answer.status === 200 && path.startsWith('/models/')) relayed++;
        await delay(50);
      }
    };

    const { agentId, path } = calls;
    const model = ((await app.client().agents.get(agentId)) as { model: string }).model;
    await Promise.all([
      crashing,
      ...Array.from({ length: STREAMS }, streaming),
      calling('GET', '/api/agents'),
      calling('GET', '/api/usage/summary'),
      calling('GET', `${path}/sessions`),
      calling('POST', '/api/auth/login', { email: app.member.email, password: app.member.password }),
      calling('POST', `${path}/chat`, { contents: said('short'), stream: false }),
      calling('POST', `${path}/execute`, { inputs: { query: 'short' } }),
      calling('POST', '/api/agent-jobs', { agentId, contents: said('short') }),
      calling('POST', '/models/v1/chat/completions', {
        model,
        messages: [{ role: 'user', content: 'relayed' }],
      }),
    ]);

    console.log(`${restarts} restarts, ${streams.length} streams`, Object.fromEntries(tally.counts));
    expect(streams.length).toBeGreaterThanOrEqual(STREAMS);
    expect(tally.strange).toEqual([]);
    const broken = streams.filter(({ bytes }) => {
      const frames = framesIn(bytes.slice(0, bytes.lastIndexOf('\n\n') + 2));
      const ended = eventNames(frames).slice(-2).join() === 'response-completed,stream-ended';
      return !ended || textOf(frames) !== WORDS.join('') || frames.some(({ seq }, i) => seq !== i + 1);
    });
    expect(broken.map(({ bytes }) => bytes.slice(-1_000))).toEqual([]);
    await ledgerAddsUp();
    // Each call of the relay is charged once; some were made whose answer could not be given.
    const [charges] = await app.sql<{ count: number }>(
      `select count(*)::int as count from usage_entry where source = 'relay'`,
    );
    const asked = openai.requests.filter(({ body }) => JSON.stringify(body).includes('relayed')).length;
    expect(charges?.count).toBeGreaterThanOrEqual(relayed);
    expect(charges?.count).toBeLessThanOrEqual(asked);
  });
});

/** What the turns say they used is what was charged, the entries are the balances, and nothing is held any more. */
async function ledgerAddsUp(): Promise<void> {
  await eventually(async () => {
    expect(await app.sql(`select id from turn where status in ('RUNNING', 'QUEUED')`)).toEqual([]);
  });
  await app.settle();
  const apart = await app.sql(
    `select t.client_turn_id, t.status, t.prompt_tokens + t.completion_tokens as used, e.tokens as charged from turn t
     left join (select turn_id, -sum(tokens) as tokens from usage_entry group by turn_id) e
       on e.turn_id = t.client_turn_id
     where t.prompt_tokens + t.completion_tokens <> coalesce(e.tokens, 0)`,
  );
  expect(apart).toEqual([]);
  await eventually(async () => {
    await app.get(UsageService).chargeExpired();
    expect(await app.sql('select id, source, reference from usage_reservation')).toEqual([]);
  });
  expect(await auditLedger(app.get(DataSource))).toEqual([]);
}
