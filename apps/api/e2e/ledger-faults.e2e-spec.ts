import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CompactionAnswer, Page, UsageBalance, UsageEntry } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { disarmFailpoints } from '../src/infra/failpoints.ts';
import { payerOfRow, settleCall } from '../src/turns/turn-billing.ts';
import { findTurn } from '../src/turns/turn-store.ts';
import { auditLedger } from '../src/usage/ledger-audit.ts';
import { UsageService } from '../src/usage/usage.service.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventData, eventNames } from './harness/frames.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { ScriptedModel } from './harness/scripted-model.ts';
import { verifies } from './verifies.ts';

const FIGURES = { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 };
const PRICE = { inputPerMillion: 1, outputPerMillion: 1 };

let app: TestApp;
let model: ScriptedModel;
let commits: LostCommits;
let calls: AgentCalls;

beforeAll(async () => {
  model = await ScriptedModel.start();
  app = await TestApp.start();
  commits = new LostCommits(app.get(DataSource));
  calls = await AgentCalls.make(
    app,
    { baseUrl: model.url, apiKey: 'k', price: PRICE, contextWindow: 8_192, maxOutputTokens: 512 },
    { tools: [{ toolId: 'current_time', methods: null }] },
  );
  await app.client().models.create({ name: 'relayed', baseUrl: model.url, apiKey: 'k', price: PRICE });
}, 30_000);

afterEach(() => {
  disarmFailpoints();
  commits.lost = 0;
});

afterAll(async () => {
  commits.restore();
  await app.settle();
  expect(await auditLedger(app.get(DataSource))).toEqual([]);
  await app.close();
  await model.close();
}, 30_000);

async function entriesOf(user: TestUser): Promise<UsageEntry[]> {
  await app.settle();
  return (await app.request<Page<UsageEntry>>('GET', '/api/usage/entries?limit=200', { as: user })).body
    .items;
}

const chargesOf = async (user: TestUser) =>
  (await entriesOf(user)).filter(({ kind }) => kind === 'CHARGE').map(({ tokens }) => tokens);

const grant = (user: TestUser, tokens: number) =>
  app.request<UsageEntry>('POST', '/api/usage/grants', { body: { userId: user.userId, tokens } });

const balanceOf = async (user: TestUser) =>
  (await app.request<UsageBalance>('GET', '/api/usage/balance', { as: user })).body.user;

/** One call of the relay. */
const relay = (user: TestUser, prompt: string, more: object = {}) =>
  app.request('POST', '/models/v1/chat/completions', {
    as: user,
    body: { model: 'relayed', messages: [{ role: 'user', content: prompt }], ...more },
  });

describe('an answer to COMMIT that is lost', () => {
  it.each([false, true])('charges a call of the relay once (limited: %p)', async (limited) => {
    const user = await app.addUser('MEMBER');
    if (limited) await grant(user, 1_000_000);
    commits.next(/insert into usage_entry/i);
    const prompt = model.prompt({ text: ['Hi'], usage: FIGURES });
    expect((await relay(user, prompt)).status).toBe(200);
    expect(await chargesOf(user)).toEqual([-1_200]);
    expect(commits.lost).toBe(1);
    if (limited) expect(await balanceOf(user)).toEqual({ limited: true, balance: 998_800, held: 0 });
  });

  verifies('usage.once', 'charges many calls of the relay once each', async () => {
    const user = await app.addUser('MEMBER');
    commits.next(/insert into usage_entry/i, 2);
    const prompts = Array.from({ length: 20 }, () => model.prompt({ text: ['Hi'], usage: FIGURES }));
    await Promise.all(prompts.map((prompt) => relay(user, prompt)));
    expect(await chargesOf(user)).toEqual(Array(20).fill(-1_200));
    expect(commits.lost).toBe(2);
  });

  it('stores and charges a step of a turn once, and calls the model no second time', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 1_000_000);
    const call = { id: 'call_1', name: 'current_time__now', arguments: '{}' };
    const prompt = model.prompt({ toolCalls: [call], usage: FIGURES }, { text: ['Noon'], usage: FIGURES });
    // The step, the hold of the next call, and the start and the result of the tool.
    commits.next(/from stream where id = \$1 and claim = \$2 and ended_at is null for share/, 4);
    const { status, body } = await calls.by(user).json({ contents: said(prompt) });
    expect([status, body.contents]).toEqual([200, [{ type: 'text', text: 'Noon' }]]);
    expect(commits.lost).toBe(4);
    expect(model.requests(prompt)).toHaveLength(2);
    expect(await chargesOf(user)).toEqual([-1_200, -1_200]);
    expect(await balanceOf(user)).toEqual({ limited: true, balance: 997_600, held: 0 });
  });

  it('ends and charges a turn once; its readers get the end', async () => {
    const user = await app.addUser('MEMBER');
    const prompt = model.prompt({ text: ['Hi'], usage: FIGURES });
    commits.next(/update turn set status/i);
    const { frames } = await calls.by(user).stream({ contents: said(prompt) });
    expect(commits.lost).toBe(1);
    expect(eventNames(frames).slice(-2)).toEqual(['response-completed', 'stream-ended']);
    expect(eventNames(frames)).not.toContain('turn-persist-pending');
    expect(eventData(frames, 'response-completed').token_usage).toMatchObject({ total_tokens: 1_200 });
    expect(await chargesOf(user)).toEqual([-1_200]);
  });

  it('grants once and says so', async () => {
    const user = await app.addUser('MEMBER');
    commits.next(/insert into usage_entry/i);
    const { status, body } = await grant(user, 5_000);
    expect([status, body]).toMatchObject([201, { kind: 'GRANT', tokens: 5_000 }]);
    expect(commits.lost).toBe(1);
    expect(await balanceOf(user)).toEqual({ limited: true, balance: 5_000, held: 0 });
    expect(await entriesOf(user)).toMatchObject([{ id: body.id }]);
    const audited = `select 1 from audit_entry where action = 'usage.grant' and target_id = $1`;
    expect(await app.sql(audited, [user.userId])).toHaveLength(1);
  });

  it('makes and charges a summary once', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 1_000_000);
    const mine = calls.by(user);
    for (const text of ['One', 'Two']) await mine.json({ session_id: 's', contents: said(text) });
    const before = await chargesOf(user);
    commits.next(/insert into usage_entry/i);
    const made = await mine.request<CompactionAnswer>('POST', '/sessions/s/context/compact', {});
    expect(commits.lost).toBe(1);
    expect([made.status, made.body]).toMatchObject([200, { compacted: true, compactionCount: 1 }]);
    expect((await chargesOf(user)).length).toBe(before.length + 1);
    expect((await balanceOf(user)).held).toBe(0);
  });

  it('settles an expired hold once', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 1_000);
    const { spaceId, userId } = user;
    const settleWith = {
      ...{ spaceId, userId, source: 'relay', model: 'm', promptTokens: 60, completionTokens: 0 },
      ...{ cachedTokens: 0, reasoningTokens: 0, cost: 0, estimated: true },
    };
    await app.sql(
      `insert into usage_hold (space_id, user_id, tokens, source, reference, settle_with, lease_ms, expires_at)
       values ($1, $2, 500, 'relay', 'r', $3, 1000, clock_timestamp() - interval '1 second')`,
      [spaceId, userId, JSON.stringify(settleWith)],
    );
    commits.next(/insert into usage_entry/i);
    const usage = app.get(UsageService);
    await usage.settleExpired();
    await usage.settleExpired();
    expect(commits.lost).toBe(1);
    expect(await chargesOf(user)).toEqual([-60]);
    expect(await balanceOf(user)).toEqual({ limited: true, balance: 940, held: 0 });
  });
});

describe('figures that no model can mean', () => {
  const ABSURD = { prompt_tokens: 2 ** 31 - 1, completion_tokens: 2 ** 31 - 1, total_tokens: 2 ** 32 - 2 };

  it('are estimated, and the turn that got them twice completes', async () => {
    const user = await app.addUser('MEMBER');
    const call = { id: 'call_1', name: 'current_time__now', arguments: '{}' };
    const prompt = model.prompt({ toolCalls: [call], usage: ABSURD }, { text: ['Noon'], usage: ABSURD });
    const { status, body } = await calls.by(user).json({ contents: said(prompt) });
    expect([status, body.contents]).toEqual([200, [{ type: 'text', text: 'Noon' }]]);
    const entries = await entriesOf(user);
    expect(entries.map(({ estimated, tokens }) => [estimated, tokens < 0, tokens > -1_000])).toEqual([
      [true, true, true],
      [true, true, true],
    ]);
  });

  it('are estimated in the relay, streamed and not', async () => {
    const user = await app.addUser('MEMBER');
    for (const stream of [false, true]) {
      await relay(user, model.prompt({ text: ['Hi'], usage: ABSURD }), { stream });
    }
    expect(await entriesOf(user)).toMatchObject([
      { estimated: true, completionTokens: 1 },
      { estimated: true, completionTokens: 1 },
    ]);
  });

  it('add up beyond int4 without stopping a turn', async () => {
    const user = await app.addUser('MEMBER');
    const turnId = randomUUID();
    await calls.by(user).json({ turnId, contents: said(model.prompt({ text: ['Hi'], usage: FIGURES })) });
    const database = app.get(DataSource);
    const turn = await findTurn(database, calls.agentId, user.userId, turnId);
    if (!turn) throw new Error('The turn was not stored');
    const figures = { promptTokens: 2 ** 31 - 1, completionTokens: 2 ** 31 - 1, cachedTokens: 0 };
    for (let i = 0; i < 2; i++) {
      const due = { ...figures, callId: randomUUID(), reasoningTokens: 0, cost: 0, estimated: false };
      await database.transaction((tx) => settleCall(tx, app.get(UsageService), payerOfRow(turn), null, due));
    }
    expect(await findTurn(database, calls.agentId, user.userId, turnId)).toMatchObject({
      promptTokens: 2 ** 31 - 1,
      completionTokens: 2 ** 31 - 1,
    });
    expect((await balanceOf(user)).balance).toBe(-1_200 - 2 * (2 ** 32 - 2));
  });
});
