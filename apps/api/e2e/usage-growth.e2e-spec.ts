import type { Page, UsageEntry, UsageSummary } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { uuidV7 } from '../src/infra/runtime/uuid-v7.ts';
import { UsageService } from '../src/usage/usage.service.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { SqlMeter } from './harness/sql-meter.ts';
import { verifies } from './verifies.ts';

const ENTRIES = 20_000;
/** So many are stored by a statement, which has its time limit. */
const AT_ONCE = 2_000;
/** What a page, a balance or a charge may touch, however many entries there are. */
const FEW = 500;

let app: TestApp;
let busy: TestUser;
let quiet: TestUser;
let meter: SqlMeter;

beforeAll(async () => {
  app = await TestApp.start();
  // From the beginning on: it asks the connections that it saw for their counts.
  meter = await SqlMeter.attach(app);
  busy = app.member;
  quiet = await app.addUser('MEMBER');
  const space = app.admin.spaceId;
  const insert = (user: TestUser, count: number, age: string, model: string, source: string) =>
    app.sql(
      `insert into usage_entry (space_id, user_id, kind, tokens, source, model, prompt_tokens, created_at)
       select $1, $2, 'CHARGE', -1, $5, $4, 1, now() - $3::interval - n * interval '1 second'
       from generate_series(1, $6) n`,
      [space, user.userId, age, model, source, count],
    );
  for (let i = 0; i < ENTRIES; i += AT_ONCE) await insert(busy, AT_ONCE, '40 days', 'common', 'chat');
  await insert(quiet, 20, '60 days', 'common', 'chat');
  await insert(busy, 20, '60 days', 'rare', 'chat');
  await insert(busy, 20, '60 days', 'common', 'relay');
  await insert(busy, 20, '1 hour', 'common', 'chat');
  await app.sql('delete from usage_account where space_id = $1', [space]);
  await app.sql('analyze usage_entry');
  // Opens the accounts, once and with a look at everything.
  await charge(busy);
  await charge(quiet);
});

afterAll(async () => {
  await meter.close();
  await app.close();
});

const charge = ({ spaceId, userId }: TestUser) =>
  app.get(DataSource).transaction((tx) =>
    app.get(UsageService).charge(tx, uuidV7(), {
      spaceId,
      userId,
      source: 'task',
      model: 'common',
      promptTokens: 1,
      completionTokens: 0,
      cachedTokens: 0,
      reasoningTokens: 0,
      cost: 0,
      estimated: false,
      causationRunId: uuidV7(),
    }),
  );

/** The rows that a call touches. */
async function touched<T>(call: () => Promise<T>): Promise<{ rows: number; answer: T }> {
  await meter.reset();
  const answer = await call();
  return { rows: (await meter.read()).rows, answer };
}

const at = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString();

describe(`a ledger of ${ENTRIES} entries`, () => {
  it.each([
    ['all', () => '', 50],
    ['a quiet user', () => `&userId=${quiet.userId}`, 21],
    ['a rare source', () => '&source=relay', 20],
    ['a rare model', () => '&model=rare', 20],
    ['a model that is not there', () => '&model=none', 0],
    ['a month in which nothing happened', () => `&from=${at(35)}&to=${at(5)}`, 0],
    ['long ago', () => `&to=${at(59)}`, 50],
  ])('lists %s from an index', async (_, query, count) => {
    const list = () => app.request<Page<UsageEntry>>('GET', `/api/usage/entries?limit=50${query()}`);
    const { rows, answer } = await touched(list);
    expect(answer.body.items).toHaveLength(count);
    expect(rows).toBeLessThan(FEW);
  });

  it('lists a page in the middle as the first one', async () => {
    const list = (cursor = '') =>
      app.request<Page<UsageEntry>>('GET', `/api/usage/entries?limit=200${cursor}`);
    let { nextCursor } = (await list()).body;
    for (let i = 0; i < 5; i++) nextCursor = (await list(`&cursor=${nextCursor}`)).body.nextCursor;
    const { rows, answer } = await touched(() => list(`&cursor=${nextCursor}`));
    expect(answer.body.items).toHaveLength(200);
    expect(rows).toBeLessThan(FEW);
  });

  verifies('usage.balance', 'reads balances, and charges, without summing entries', async () => {
    const balances = await touched(() => app.client(busy).usage.balance());
    expect(balances.answer.user.balance).toBe(-(ENTRIES + 61));
    expect(balances.rows).toBeLessThan(FEW);
    expect((await touched(() => charge(busy))).rows).toBeLessThan(FEW);
  });

  it.each(['24h', '7d'])('sums up %s of it from the entries of that time', async (window) => {
    const sum = () =>
      app.request<UsageSummary>('GET', `/api/usage/summary?window=${window}&userId=${busy.userId}`);
    const { rows, answer } = await touched(sum);
    expect(answer.body.total.calls).toBeGreaterThanOrEqual(21);
    expect(rows).toBeLessThan(FEW);
  });

  it('stores the run and the source of a task', async () => {
    await charge(quiet);
    const [entry] = await app.sql<{ source: string; run: string | null }>(
      `select source, causation_run_id as run from usage_entry where user_id = $1 order by id desc limit 1`,
      [quiet.userId],
    );
    expect(entry).toEqual({ source: 'task', run: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
  });

  it('finds expired holds by their end', async () => {
    await app.sql(
      `insert into usage_reservation (space_id, user_id, tokens, source, reference, lease_ms, expires_at)
       select $1, $2, 0, 'relay', 'r', 1000, clock_timestamp() + interval '1 hour' from generate_series(1, 5000)`,
      [busy.spaceId, busy.userId],
    );
    await app.sql('analyze usage_reservation');
    const { rows } = await touched(() => app.get(UsageService).chargeExpired());
    expect(rows).toBeLessThan(FEW);
  });
});
