import { randomUUID } from 'node:crypto';
import type { ExecuteResponse, TokenUsage } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { auditLedger } from '../src/usage/ledger-audit.store.ts';
import { startOpenAiServer, type FakeOpenAiServer } from './fixtures/openai-server.ts';
import { scaled } from './faults/scale.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventData, eventNames } from './harness/frames.ts';
import { seededRandom } from './harness/random.ts';
import { verifies } from './verifies.ts';

const PRICE = { inputPerMillion: 3, outputPerMillion: 15, cachedInputPerMillion: 0.3 };
const USAGE = {
  prompt_tokens: 1_000,
  completion_tokens: 200,
  total_tokens: 1_200,
  prompt_tokens_details: { cached_tokens: 400 },
};
/** 600 × 3 + 400 × 0.3 + 200 × 15, by the million. */
const COST = 0.00492;
const MIXES = scaled('LEDGER_MIXES', { quick: 140, slow: 1_000 });
const AT_ONCE = 20;

interface Sums {
  tokens: number;
  cost: number;
}

let app: TestApp;
let openai: FakeOpenAiServer;
let calls: AgentCalls;

beforeAll(async () => {
  openai = await startOpenAiServer({ behavior: { text: ['Hello ', 'there'], usage: USAGE } });
  app = await TestApp.start();
  calls = await AgentCalls.make(
    app,
    { baseUrl: openai.url, apiKey: 'k', price: PRICE },
    { tools: [{ toolId: 'current_time', methods: null }] },
  );
});

afterAll(async () => {
  await app.close();
  await openai.close();
});

const grant = async (tokens: number, userId?: string) => {
  const { status } = await app.request('POST', '/api/usage/grants', { body: { tokens, userId } });
  expect(status).toBe(201);
};

const entriesOf = async (user: TestUser): Promise<Sums> => {
  const [sums] = await app.sql<Sums>(
    `select coalesce(-sum(tokens), 0)::float8 as tokens, coalesce(sum(cost), 0)::float8 as cost
     from usage_entry where user_id = $1 and kind = 'CHARGE'`,
    [user.userId],
  );
  return sums ?? { tokens: 0, cost: 0 };
};

const turnsOf = async (user: TestUser): Promise<Sums> => {
  const [sums] = await app.sql<Sums>(
    `select coalesce(sum(prompt_tokens + completion_tokens), 0)::float8 as tokens,
       coalesce(sum(cost), 0)::float8 as cost from turn where user_id = $1`,
    [user.userId],
  );
  return sums ?? { tokens: 0, cost: 0 };
};

describe('the ledger of turns', () => {
  verifies(
    'ledger.same-cost',
    'streamed, not streamed and executed: the same tokens, the same cost',
    async () => {
      const user = await app.addUser('MEMBER');
      const mine = calls.by(user);
      const streamed = await mine.stream({ contents: said('Hi') });
      const json = await mine.json({ contents: said('Hi') });
      const executed = await mine.request<ExecuteResponse>('POST', '/execute', {
        body: { inputs: { query: 'Hi' } },
      });
      const usages = [
        eventData(streamed.frames, 'response-completed').token_usage as TokenUsage,
        json.body.token_usage,
        executed.body.token_usage,
      ];
      const expected = { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200, cost: COST };
      expect(usages).toEqual([expected, expected, expected]);
      expect(await entriesOf(user)).toEqual({ tokens: 3_600, cost: 0.01476 });
    },
  );

  verifies('ledger.no-price', 'a model without a price is not one that is free', async () => {
    const user = await app.addUser('MEMBER');
    const unpriced = (await AgentCalls.make(app, { baseUrl: openai.url, apiKey: 'k' })).by(user);
    const { body } = await unpriced.json({ contents: said('Hi') });
    expect(body.token_usage.cost).toBe(0);
    const { usage } = app.client(user);
    expect((await usage.entries()).items.map(({ cost }) => cost)).toEqual([null]);
    const { total, groups } = await usage.summary();
    expect([total.cost, groups.at(0)?.cost, groups.at(-1)?.cost]).toEqual([null, 0, null]);

    const free = (await AgentCalls.make(app)).by(user);
    await free.json({ contents: said('Hi') });
    await calls.by(user).json({ contents: said('Hi') });
    expect((await usage.entries()).items.map(({ cost }) => cost)).toEqual([COST, 0, null]);
    expect((await usage.summary()).total.cost).toBe(COST);
    const byModel = await usage.summary({ groupBy: 'model' });
    expect(new Set(byModel.groups.map(({ cost }) => cost))).toEqual(new Set([COST, 0, null]));
  });

  verifies(
    'ledger.adds-up',
    'random mixes: what turns say they used is what was charged, entries are the balance',
    async () => {
      const random = seededRandom();
      const user = await app.addUser('MEMBER');
      await grant(1_000_000_000, user.userId);
      const mine = calls.by(user);
      let told = 0;
      const tell = (usage: TokenUsage | undefined) => void (told += usage?.total_tokens ?? 0);
      const one = async () => {
        const contents = said('Hi');
        switch (random(7)) {
          case 0:
            tell((await mine.json({ contents })).body.token_usage);
            return;
          case 1: {
            const body = { inputs: { query: 'Hi' } };
            tell((await mine.request<ExecuteResponse>('POST', '/execute', { body })).body.token_usage);
            return;
          }
          case 2:
            openai.nextBehavior({ text: ['cut ', 'here'], breakAfter: { chunks: 2, how: 'cut' } });
            return mine.json({ contents });
          case 3:
            openai.nextBehavior({ kind: 'status', status: 400 });
            return mine.json({ contents });
          case 4:
            openai.nextBehavior({ text: ['no ', 'figures'], usage: null });
            return mine.stream({ contents });
          case 5: {
            const call = { id: randomUUID(), name: 'current_time__now', arguments: '{}' };
            openai.nextBehavior({ toolCalls: [call], usage: USAGE });
            return mine.stream({ contents });
          }
          default: {
            const [turnId, session] = [randomUUID(), randomUUID()];
            openai.nextBehavior({ text: Array.from({ length: 20 }, () => 'word '), paceMs: 2 });
            const reading = mine.stream({ turnId, session_id: session, contents });
            await mine.request('POST', `/turns/${turnId}/cancel`, { body: { sessionId: session } });
            return reading;
          }
        }
      };
      for (let i = 0; i < MIXES; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, one));
      await app.settle();
      // A turn that was canceled before it called the model left its behavior there, for the next test to get.
      openai.dropQueued();
      const [entries, turns] = [await entriesOf(user), await turnsOf(user)];
      // Turns that failed or were canceled told nothing.
      expect(entries.tokens).toBeGreaterThanOrEqual(told);
      expect(told).toBeGreaterThan(0);
      expect(turns.tokens).toBe(entries.tokens);
      expect(turns.cost).toBeCloseTo(entries.cost, 8);
      expect(await auditLedger(app.get(DataSource))).toEqual([]);
      const [holds] = await app.sql<{ count: number }>(
        'select count(*)::int as count from usage_reservation',
      );
      expect(holds?.count).toBe(0);
    },
  );

  verifies(
    ['ledger.402', 'errors.codes'],
    'an empty balance refuses with 402, the user’s and the space’s',
    async () => {
      const user = await app.addUser('MEMBER');
      const mine = calls.by(user);
      await grant(1, user.userId);
      expect((await mine.json({ contents: said('Hi') })).status).toBe(200);
      const refused = await mine.post({ contents: said('Hi') });
      expect([refused.status, refused.body]).toEqual([
        402,
        {
          success: false,
          code: 'INSUFFICIENT_TOKENS',
          message: expect.stringContaining('The token balance of the user') as string,
        },
      ]);
      const executed = await mine.request('POST', '/execute', { body: { inputs: { query: 'x' } } });
      expect(executed.status).toBe(402);

      const poor = await TestApp.start();
      const theirs = await AgentCalls.make(poor);
      await poor.request('POST', '/api/usage/grants', { body: { tokens: 1 } });
      await theirs.json({ contents: said('Hi') });
      const empty = await theirs.by(poor.member).post({ contents: said('Hi') });
      expect([empty.status, empty.body.message]).toEqual([402, expect.stringContaining('of the space')]);
      await poor.close();
    },
  );

  verifies(
    'ledger.mid-turn',
    'used up in the middle: INSUFFICIENT_TOKENS, what was said is kept and charged',
    async () => {
      const user = await app.addUser('MEMBER');
      const mine = calls.by(user);
      await grant(100, user.userId);
      const session = randomUUID();
      const call = { id: 'call_1', name: 'current_time__now', arguments: '{}' };
      openai.nextBehavior({ text: ['Let me look. '], toolCalls: [call], usage: USAGE });
      const { frames } = await mine.stream({ session_id: session, contents: said('Hi') });
      expect(eventData(frames, 'error-occurred')).toMatchObject({ code: 'INSUFFICIENT_TOKENS' });
      expect(eventNames(frames).at(-1)).toBe('stream-ended');
      const [said1] = await mine.messages(session);
      expect(said1?.contents).toEqual([{ type: 'text', text: 'Let me look. ' }]);
      expect(await entriesOf(user)).toEqual({ tokens: 1_200, cost: COST });
    },
  );
});
