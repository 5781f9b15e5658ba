import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { CompactionResult, UsageBalance, UsageEntry } from '@platform/contracts';
import { DataSource } from 'typeorm';
import { Connection } from '../src/infra/database/connection.ts';
import { RelayLedgerWorker } from '../src/relay/relay-ledger.worker.ts';
import { CompactorService } from '../src/turns/context/compactor.service.ts';
import { chargeCall } from '../src/turns/engine/turn-billing.ts';
import { payerOf } from '../src/turns/records/payer.ts';
import { findTurn } from '../src/turns/records/turn.store.ts';
import { auditLedger } from '../src/usage/ledger-audit.store.ts';
import { UsageService } from '../src/usage/usage.service.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { eventData, eventNames } from './harness/frames.ts';
import { gate } from './harness/gate.ts';
import { LostCommits } from './harness/lost-commits.ts';
import { ServiceProcess } from './harness/process.ts';
import { entriesOf } from './harness/relay-calls.ts';
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
});

afterEach(() => {
  commits.lost = 0;
});

afterAll(async () => {
  commits.restore();
  await app.settle();
  expect(await auditLedger(app.get(DataSource))).toEqual([]);
  await app.close();
  await model.close();
});

const chargesOf = async (user: TestUser) =>
  (await entriesOf(app, user)).filter(({ kind }) => kind === 'CHARGE').map(({ tokens }) => tokens);

/** Without waiting for what runs. */
const chargesWritten = async (user: TestUser) =>
  (
    await app.sql<{ tokens: number }>(
      `select tokens::float8 as tokens from usage_entry where user_id = $1 and kind = 'CHARGE'`,
      [user.userId],
    )
  ).map(({ tokens }) => tokens);

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
    commits.next(/from stream where id = \$1 and fencing_token = \$2 and ended_at is null for share/, 4);
    const { status, body } = await calls.by(user).json({ contents: said(prompt) });
    expect([status, body.contents]).toEqual([200, [{ type: 'text', text: 'Noon' }]]);
    expect(commits.lost).toBe(4);
    expect(model.requests(prompt)).toHaveLength(2);
    expect(await chargesOf(user)).toEqual([-1_200, -1_200]);
    expect(await balanceOf(user)).toEqual({ limited: true, balance: 997_600, held: 0 });
  });

  it('releases what a turn has reserved, also if it is canceled before that is known', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 100_000);
    const own = calls.by(user);
    const { opened, open } = gate();
    const call = { id: 'call_1', name: 'current_time__now', arguments: '{}' };
    const prompt = model.prompt({
      text: ['One'],
      toolCalls: [call],
      pauseAfter: { chunks: 2, until: opened },
    });
    const [turnId, session] = [randomUUID(), randomUUID()];
    const stream = await own.open({ turnId, session_id: session, contents: said(prompt) });
    await stream.untilSaid('One');
    commits.next(/insert into usage_reservation/, Infinity);
    try {
      open();
      await eventually(() => {
        expect(commits.lost).toBeGreaterThan(0);
        return Promise.resolve();
      });
      await own.request('POST', `/turns/${turnId}/cancel`, { body: { sessionId: session } });
      await stream.rest();
    } finally {
      commits.next(/./, 0);
    }
    expect((await own.turn(turnId)).status).toBe('CANCELLED');
    expect((await balanceOf(user)).held).toBe(0);
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

  it('grants once and reports it', async () => {
    const user = await app.addUser('MEMBER');
    commits.next(/insert into usage_entry/i);
    const { status, body } = await grant(user, 5_000);
    expect([status, body]).toMatchObject([201, { kind: 'GRANT', tokens: 5_000 }]);
    expect(commits.lost).toBe(1);
    expect(await balanceOf(user)).toEqual({ limited: true, balance: 5_000, held: 0 });
    expect(await entriesOf(app, user)).toMatchObject([{ id: body.id }]);
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
    const made = await mine.request<CompactionResult>('POST', '/sessions/s/context/compact', {});
    expect(commits.lost).toBe(1);
    expect([made.status, made.body]).toMatchObject([200, { compacted: true, compactionCount: 1 }]);
    expect((await chargesOf(user)).length).toBe(before.length + 1);
    expect((await balanceOf(user)).held).toBe(0);
  });

  it('starts a summary that was requested once', async () => {
    const user = await app.addUser('MEMBER');
    const mine = calls.by(user);
    for (const text of ['One', 'Two']) await mine.json({ session_id: 's', contents: said(text) });
    commits.next(/insert into context_compaction/i);
    const made = await mine.request<CompactionResult>('POST', '/sessions/s/context/compact', {});
    expect([made.status, made.body]).toMatchObject([200, { compacted: true, compactionCount: 1 }]);
    expect(commits.lost).toBe(1);
    await app.settle();
    await sweep(user);
    expect(await chargesOf(user)).toHaveLength(3);
  });

  it('charges a summary that a turn starts again once', async () => {
    const user = await app.addUser('MEMBER');
    const mine = calls.by(user);
    const nearlyFull = { ...FIGURES, prompt_tokens: 7_000, total_tokens: 7_200 };
    const last = model.prompt({ text: ['Two'], usage: nearlyFull });
    for (const text of ['word '.repeat(1_000), last])
      await mine.json({ session_id: 's', contents: said(text) });
    commits.next(/insert into context_compaction/i);
    // Nobody can tell whether it was stored.
    jest.spyOn(app.get(CompactorService), 'hasBegun').mockRejectedValueOnce(new Error('Unknown'));
    expect((await mine.json({ session_id: 's', contents: said('Three') })).status).toBe(200);
    expect(commits.lost).toBe(1);
    await app.settle();
    await sweep(user);
    expect(await chargesOf(user)).toHaveLength(4);
  });

  it('charges an expired reservation once', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 1_000);
    const { spaceId, userId } = user;
    const chargeOnExpiry = {
      spaceId,
      userId,
      source: 'relay',
      model: 'm',
      promptTokens: 60,
      completionTokens: 0,
      cachedTokens: 0,
      reasoningTokens: 0,
      cost: 0,
      estimated: true,
    };
    // From before it exists: the sweeper may come at any time.
    commits.next(/insert into usage_entry/i);
    await app.sql(
      `insert into usage_reservation (space_id, user_id, tokens, source, reference, charge_on_expiry, lease_ms, expires_at)
       values ($1, $2, 500, 'relay', 'r', $3, 1000, clock_timestamp() - interval '1 second')`,
      [spaceId, userId, JSON.stringify(chargeOnExpiry)],
    );
    const usage = app.get(UsageService);
    await usage.chargeExpired();
    await usage.chargeExpired();
    expect(commits.lost).toBe(1);
    expect(await chargesOf(user)).toEqual([-60]);
    expect(await balanceOf(user)).toEqual({ limited: true, balance: 940, held: 0 });
  });
});

describe('a BEGIN that fails', () => {
  it('reserves nothing for a call without tokens', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 1_000);
    await relay(user, model.prompt({ text: ['Hi'], usage: FIGURES }));
    await app.settle();
    const failing = jest.spyOn(Connection.prototype, 'begin').mockImplementationOnce(function (
      this: Connection,
    ) {
      const query = () => this.query('START NOTHING');
      return (Object.create(this, { query: { value: query } }) as Connection).begin();
    });
    const prompt = model.prompt({ text: ['Hi'], usage: FIGURES });
    expect([(await relay(user, prompt)).status, model.requests(prompt)]).toEqual([402, []]);
    expect(failing).toHaveBeenCalled();
    failing.mockRestore();
    expect(await balanceOf(user)).toEqual({ limited: true, balance: -200, held: 0 });
  });
});

/** As if its process had been dead for a while; then the sweeper comes. */
async function sweep(user: TestUser): Promise<void> {
  const expired = `update usage_reservation set expires_at = clock_timestamp() - interval '1 second' where user_id = $1`;
  await app.sql(expired, [user.userId]);
  await app.get(UsageService).chargeExpired();
}

const callsOpen = (user: TestUser) =>
  app.sql<{ tokens: string; completion: number }>(
    `select tokens, (charge_on_expiry ->> 'completionTokens')::int as completion from usage_reservation
     where user_id = $1`,
    [user.userId],
  );

describe('a process that is killed', () => {
  verifies(
    ['usage.once', 'usage.expired'],
    'leaves its relayed calls to the sweeper, without a limit too: the prompt and what was streamed',
    async () => {
      const service = await ServiceProcess.spawn({
        DATABASE_URL: app.databaseUrl,
        PLATFORM_SECRET_KEY: app.secretKey,
        PLATFORM_DATA_DIR: app.dataDir,
      });
      await service.ready();
      const user = await app.addUser('MEMBER');
      const never = gate();
      const words = Array.from({ length: 400 }, () => ' word');
      const prompts = [
        model.prompt({ text: words, pauseAfter: { chunks: 400, until: never.opened } }),
        model.prompt({ kind: 'hang' }),
      ];
      const left = prompts.map((prompt) =>
        fetch(`${service.url}/models/v1/chat/completions`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${user.apiKey}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({
            model: 'relayed',
            stream: true,
            messages: [{ role: 'user', content: prompt }],
          }),
        }).then((response) => response.text()),
      );
      const lost = Promise.allSettled(left);
      await eventually(async () => {
        const open = await callsOpen(user);
        expect(open.map(({ tokens }) => tokens)).toEqual(['0', '0']);
        expect(Math.max(...open.map(({ completion }) => completion))).toBeGreaterThan(300);
      });
      await service.kill();
      await lost;
      never.open();
      expect(await entriesOf(app, user)).toEqual([]);

      await sweep(user);
      const entries = await entriesOf(app, user);
      expect(entries).toMatchObject([
        { source: 'relay', model: 'relayed', estimated: true },
        { source: 'relay', model: 'relayed', estimated: true },
      ]);
      expect(entries.every(({ promptTokens }) => promptTokens > 0)).toBe(true);
      const written = entries.map(({ completionTokens }) => completionTokens).sort((a, b) => a - b);
      expect(written[0]).toBe(0);
      expect(written[1]).toBeGreaterThan(300);
      expect(written[1]).toBeLessThan(1_000);
      expect(await callsOpen(user)).toEqual([]);
    },
  );
});

describe('the row of a call without a limit', () => {
  it('does not delay the response', async () => {
    const user = await app.addUser('MEMBER');
    const { opened, open } = gate();
    const locked = Promise.withResolvers<void>();
    const locking = app.get(DataSource).transaction(async (tx) => {
      await tx.query('lock table usage_reservation in exclusive mode');
      locked.resolve();
      await opened;
    });
    await locked.promise;
    const pause = gate();
    const prompt = model.prompt({
      text: ['Hi'],
      usage: FIGURES,
      pauseAfter: { chunks: 1, until: pause.opened },
    });
    const running = relay(user, prompt, { stream: true });
    await eventually(async () => {
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%into usage_reservation%'`;
      expect(await app.sql(waiting)).toHaveLength(1);
    });
    pause.open();
    expect((await running).text).toMatch(/Hi.*\[DONE\]/s);
    open();
    await locking;
    expect(await chargesOf(user)).toEqual([-1_200]);
    expect(await callsOpen(user)).toEqual([]);
  });
});

describe('a call whose reservation was stored without an answer', () => {
  it('is not charged if it never started', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 1_000_000);
    const usage = app.get(UsageService);
    const reserve = usage.reserve.bind(usage);
    const reserving = jest.spyOn(usage, 'reserve');
    reserving.mockImplementationOnce(reserve);
    reserving.mockRejectedValue(new Error('Connection terminated unexpectedly'));
    commits.next(/into usage_reservation/i);
    const prompt = model.prompt({ text: ['Hi'] });
    expect([(await relay(user, prompt)).status, model.requests(prompt)]).toEqual([503, []]);
    reserving.mockRestore();
    expect(commits.lost).toBe(1);
    await app.settle();
    await sweep(user);
    expect(await chargesOf(user)).toEqual([]);
    expect(await balanceOf(user)).toEqual({ limited: true, balance: 1_000_000, held: 0 });
  });
});

describe('a call that the sweeper has charged first', () => {
  it('is not charged twice by its process, in the relay', async () => {
    const user = await app.addUser('MEMBER');
    const { opened, open } = gate();
    const prompt = model.prompt({ text: ['Hi'], usage: FIGURES, pauseAfter: { chunks: 1, until: opened } });
    const running = relay(user, prompt, { stream: true });
    await eventually(async () => expect(await callsOpen(user)).toHaveLength(1));
    // Its process renews it now and then.
    await eventually(async () => {
      await sweep(user);
      expect(await callsOpen(user)).toEqual([]);
    });
    open();
    expect((await running).status).toBe(200);
    const [entry, ...others] = await entriesOf(app, user);
    expect([entry, others]).toMatchObject([{ estimated: true, completionTokens: 0 }, []]);
  });

  it('keeps its reservation while its turn runs, and the turn is charged when it ends', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 1_000_000);
    const { opened, open } = gate();
    const prompt = model.prompt({ text: ['Hi'], usage: FIGURES, pauseAfter: { chunks: 1, until: opened } });
    const running = calls.by(user).json({ contents: said(prompt) });
    await eventually(async () => expect(model.requests(prompt)).toHaveLength(1));
    await sweep(user);
    expect(await callsOpen(user)).toHaveLength(1);
    expect(await chargesWritten(user)).toEqual([]);
    open();
    await running;
    expect(await chargesOf(user)).toEqual([-1_200]);
    expect(await callsOpen(user)).toEqual([]);
  });

  it('is charged from the stored steps if no process runs its turn, and the recovery does not charge it twice', async () => {
    const user = await app.addUser('MEMBER');
    await grant(user, 1_000_000);
    const { opened, open } = gate();
    const prompt = model.prompt({ text: ['One', ' two'], pauseAfter: { chunks: 2, until: opened } });
    const turnId = randomUUID();
    const stream = await calls.by(user).open({ turnId, contents: said(prompt) });
    await stream.untilSaid('One');
    // The next sweep of the recovery ends the turn; here the reservations are charged before it.
    await app.sql(
      `update stream set fencing_token = gen_random_uuid(), lease_until = clock_timestamp()
       where id in (select g.stream_id from turn_segment g join turn t on t.id = g.turn_id where client_turn_id = $1)`,
      [turnId],
    );
    await sweep(user);
    const charged = await chargesWritten(user);
    expect(charged).toHaveLength(1);
    expect(await callsOpen(user)).toEqual([]);
    await eventually(async () =>
      expect(await calls.by(user).turn(turnId)).toMatchObject({ status: 'FAILED' }),
    );
    open();
    expect(await chargesOf(user)).toEqual(charged);
  });
});

describe('a shutdown', () => {
  /** A call that ends while its process shuts down, and whose charge cannot be written so often. */
  async function callAtTheEnd(user: TestUser, failures: number, closingMs?: number): Promise<number> {
    const second = await TestApp.start({ database: app });
    if (closingMs !== undefined) second.get(RelayLedgerWorker).closingMs = closingMs;
    const chargeAll = jest.spyOn(second.get(UsageService), 'chargeAll');
    for (let i = 0; i < failures; i++) {
      chargeAll.mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    }
    const { opened, open } = gate();
    const prompt = model.prompt({ text: ['Hi'], usage: FIGURES, pauseAfter: { chunks: 1, until: opened } });
    const messages = [{ role: 'user', content: prompt }];
    const running = second.request('POST', '/models/v1/chat/completions', {
      as: user,
      body: { model: 'relayed', messages, stream: true },
    });
    await eventually(async () => expect(await callsOpen(user)).toHaveLength(1));
    const closing = second.close();
    open();
    expect((await running).status).toBe(200);
    await closing;
    return chargeAll.mock.calls.length;
  }

  verifies('usage.once', 'tries to write charges until it can', async () => {
    const user = await app.addUser('MEMBER');
    expect(await callAtTheEnd(user, 3)).toBe(4);
    expect(await chargesOf(user)).toEqual([-1_200]);
    expect(await callsOpen(user)).toEqual([]);
  });

  verifies('usage.once', 'leaves what it cannot write in time to the sweeper', async () => {
    const user = await app.addUser('MEMBER');
    await callAtTheEnd(user, 100, 2_000);
    expect(await chargesOf(user)).toEqual([]);
    await sweep(user);
    expect(await entriesOf(app, user)).toMatchObject([{ source: 'relay', estimated: true }]);
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
    const entries = await entriesOf(app, user);
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
    expect(await entriesOf(app, user)).toMatchObject([
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
      await database.transaction((tx) => chargeCall(tx, app.get(UsageService), payerOf(turn), null, due));
    }
    expect(await findTurn(database, calls.agentId, user.userId, turnId)).toMatchObject({
      promptTokens: 2 ** 31 - 1,
      completionTokens: 2 ** 31 - 1,
    });
    expect((await balanceOf(user)).balance).toBe(-1_200 - 2 * (2 ** 32 - 2));
  });
});
