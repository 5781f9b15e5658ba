import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, UsageBalance, UsageEntry, UsageSummary } from '@platform/contracts';
import fc from 'fast-check';
import { DataSource, type EntityManager } from 'typeorm';
import type { Charge } from '../src/usage/charge.ts';
import { whileUnavailable } from '../src/infra/database/unavailable.ts';
import { uuidV7 } from '../src/infra/runtime/uuid-v7.ts';
import { auditLedger } from '../src/usage/ledger-audit.store.ts';
import { ReportsService } from '../src/usage/reports.service.ts';
import { UsageService } from '../src/usage/usage.service.ts';
import { scaled } from './faults/scale.ts';
import { TestApp, type TestUser } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { LostCommits, lostResponse } from './harness/lost-commits.ts';
import { LedgerModel, ledgerStep, type LedgerStep } from './harness/ledger-model.ts';
import { verifies } from './verifies.ts';

const NOWHERE = '01900000-0000-7000-8000-000000000000';
const AGENT = '01900000-0000-7000-8000-00000000000a';
const CRASH = new Error('Crash');

let app: TestApp;
let usage: UsageService;
let database: DataSource;
let commits: LostCommits;

beforeAll(async () => {
  app = await TestApp.start();
  usage = app.get(UsageService);
  database = app.get(DataSource);
  commits = new LostCommits(database);
});
afterAll(async () => {
  expect(await auditLedger(database)).toEqual([]);
  commits.restore();
  await app.close();
});

const transaction = <T>(work: (tx: EntityManager) => Promise<T>) => database.transaction(work);

interface Person {
  spaceId: string;
  userId: string;
}

/** A space of its own with the people of the first one. */
async function freshSpace(): Promise<string> {
  const [space] = await app.sql<{ id: string }>("insert into space (name) values ('Ledger') returning id");
  if (!space) throw new Error('The space was not stored');
  await app.sql(
    `insert into membership (space_id, user_id, role) values ($1, $2, 'ADMIN'), ($1, $3, 'MEMBER')`,
    [space.id, app.admin.userId, app.member.userId],
  );
  return space.id;
}

const member = async (): Promise<Person> => ({ spaceId: await freshSpace(), userId: app.member.userId });

function chargeOf({ spaceId, userId }: Person, promptTokens: number, more: Partial<Charge> = {}): Charge {
  return {
    spaceId,
    userId,
    source: 'chat',
    model: 'm',
    promptTokens,
    completionTokens: 0,
    cachedTokens: 0,
    reasoningTokens: 0,
    cost: 0,
    estimated: false,
    ...more,
  };
}

const charge = (person: Person, tokens: number, more?: Partial<Charge>) =>
  transaction((tx) => usage.charge(tx, uuidV7(), chargeOf(person, tokens, more)));

function reserve(person: Person, tokens: number, chargeOnExpiry?: Charge): Promise<string | null> {
  const lease = { source: 'relay' as const, reference: 'r', leaseMs: 60_000, chargeOnExpiry };
  const id = uuidV7();
  return whileUnavailable(() => transaction((tx) => usage.reserve(tx, { ...person, ...lease, id, tokens })));
}

/** A hold that there is, for accounts that have a limit. */
async function reserveOrFail(person: Person, tokens: number, chargeOnExpiry?: Charge): Promise<string> {
  const id = await reserve(person, tokens, chargeOnExpiry);
  if (id === null) throw new Error('Nothing was held');
  return id;
}

const chargeReservation = (id: string, what: Charge) => transaction((tx) => usage.charge(tx, id, what));

/** By the admin; no user: to the space. */
function grant(spaceId: string, userId: string | null, tokens: number): Promise<UsageEntry> {
  const by = {
    kind: 'user' as const,
    spaceId,
    userId: app.admin.userId,
    role: 'ADMIN' as const,
    credential: { kind: 'api-key' as const, id: NOWHERE, scopes: [] },
    causationRunId: null,
  };
  return app.get(ReportsService).createGrant({ by, requestId: 'test' }, { userId, tokens });
}

function balance({ spaceId, userId }: Person): Promise<UsageBalance> {
  const credential = { kind: 'api-key' as const, id: NOWHERE, scopes: [] };
  const caller = { kind: 'user' as const, spaceId, userId, role: 'MEMBER' as const };
  return app.get(ReportsService).getBalance({ ...caller, credential, causationRunId: null });
}

const limited = (tokens: number, sumReservedTokens = 0) => ({
  limited: true,
  balance: tokens,
  held: sumReservedTokens,
});
const unlimited = (tokens: number) => ({ limited: false, balance: tokens, held: 0 });

const entriesIn = (spaceId: string) =>
  app.sql<{ kind: string; tokens: string; estimated: boolean; reference: string | null }>(
    'select kind, tokens, estimated, turn_id as reference from usage_entry where space_id = $1 order by id',
    [spaceId],
  );

/** What the first grants of the space and of the person offset. */
async function openingsOf({ spaceId, userId }: Person): Promise<number[]> {
  const found = await app.sql<{ userId: string | null; tokens: number }>(
    `select user_id as "userId", tokens::float8 as tokens from usage_entry
     where space_id = $1 and kind = 'OPENING'`,
    [spaceId],
  );
  return [null, userId].map((one) => found.find((opening) => opening.userId === one)?.tokens ?? 0);
}

const openHolds = (spaceId: string) =>
  app.sql('select id from usage_reservation where space_id = $1', [spaceId]);

const insufficient = (message: string) => ({
  code: 'INSUFFICIENT_TOKENS',
  status: 402,
  message: expect.stringContaining(message),
});

describe('without a grant', () => {
  verifies('usage.unlimited', 'nothing is held, everything is charged, and the balance is kept', async () => {
    const person = await member();
    expect(await reserve(person, 1_000_000)).toBeNull();
    await usage.assertBalance(database, person.spaceId, person.userId);
    await charge(person, 30, { completionTokens: 12, turnId: 't' });
    await transaction((tx) => usage.charge(tx, uuidV7(), chargeOf(person, 8)));

    expect(await balance(person)).toEqual({ user: unlimited(-50), space: unlimited(-50) });
    expect(await entriesIn(person.spaceId)).toMatchObject([
      { kind: 'CHARGE', tokens: '-42', reference: 't' },
      { kind: 'CHARGE', tokens: '-8' },
    ]);
    expect(
      await app.sql('select user_id, balance from usage_account where space_id = $1 order by user_id', [
        person.spaceId,
      ]),
    ).toEqual([
      { user_id: person.userId, balance: '-50' },
      { user_id: null, balance: '-50' },
    ]);
  });

  verifies(
    ['usage.unlimited', 'usage.opening'],
    'what was used before the first grant is offset: the balance starts at what was granted',
    async () => {
      const person = await member();
      await charge(person, 5_000);
      await charge({ ...person, userId: app.admin.userId }, 2);
      await grant(person.spaceId, person.userId, 1_000);
      expect(await balance(person)).toEqual({ user: limited(1_000), space: unlimited(-5_002) });
      await reserveOrFail(person, 1);
      await grant(person.spaceId, null, 700);
      await grant(person.spaceId, null, 70);
      expect(await balance(person)).toEqual({ user: limited(1_000, 1), space: limited(770, 1) });
      expect(await entriesIn(person.spaceId)).toMatchObject([
        { kind: 'CHARGE', tokens: '-5000' },
        { kind: 'CHARGE', tokens: '-2' },
        { kind: 'OPENING', tokens: '5000' },
        { kind: 'GRANT', tokens: '1000' },
        { kind: 'OPENING', tokens: '5002' },
        { kind: 'GRANT', tokens: '700' },
        { kind: 'GRANT', tokens: '70' },
      ]);
    },
  );
});

describe('a reservation', () => {
  verifies('usage.reserve', 'succeeds while tokens are available, and is rejected afterwards', async () => {
    const person = await member();
    await grant(person.spaceId, person.userId, 10);
    await reserveOrFail(person, 9);
    await reserveOrFail(person, 4096);
    expect(await balance(person)).toMatchObject({ user: limited(10, 4105) });
    const refusal = insufficient(
      'The token balance of the user is reserved by running calls: 10 left, 4105 reserved',
    );
    await expect(reserve(person, 1)).rejects.toMatchObject(refusal);
    await expect(usage.assertBalance(database, person.spaceId, person.userId)).rejects.toMatchObject(refusal);
  });

  verifies('usage.reserve', 'names the account whose balance is used up', async () => {
    const person = await member();
    const other = { ...person, userId: app.admin.userId };
    await grant(person.spaceId, person.userId, 5);
    await charge(person, 5);
    await expect(reserve(person, 1)).rejects.toMatchObject(
      insufficient('The token balance of the user is used up'),
    );
    expect(await reserve(other, 1)).toBeNull();

    await grant(person.spaceId, null, 3);
    await charge(other, 3);
    const ofSpace = insufficient('The token balance of the space is used up');
    await expect(reserve(person, 1)).rejects.toMatchObject(ofSpace);
    await expect(reserve(other, 1)).rejects.toMatchObject(ofSpace);

    await grant(person.spaceId, null, 3);
    await expect(reserve(person, 1)).rejects.toMatchObject(
      insufficient('The token balance of the user is used up'),
    );
    await reserveOrFail(other, 3);
    await expect(reserve(other, 1)).rejects.toMatchObject(
      insufficient('The token balance of the space is reserved'),
    );
  });

  verifies('usage.reserve', 'succeeds once if fifty calls want the last tokens', async () => {
    const person = await member();
    await grant(person.spaceId, null, 100);
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => reserve(person, 100)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = tries.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(refusals).toEqual(
      Array(49).fill(expect.objectContaining({ code: 'INSUFFICIENT_TOKENS', status: 402 })),
    );
  });

  verifies('usage.reserve', 'waits for a concurrent reservation, and then counts it', async () => {
    const person = await member();
    await grant(person.spaceId, null, 100);
    const written = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const first = transaction(async (tx) => {
      await usage.reserve(tx, { ...person, tokens: 100, source: 'chat', reference: 'r', leaseMs: 60_000 });
      written.resolve();
      await commit.promise;
    });
    await written.promise;
    const second = expect(reserve(person, 1)).rejects.toMatchObject(
      insufficient('The token balance of the space is reserved'),
    );
    await eventually(async () => {
      const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%usage_account%'
        and datname = current_database()`;
      expect(await app.sql(waiting)).toHaveLength(1);
    });
    commit.resolve();
    await Promise.all([first, second]);
  });

  verifies('usage.reserve', 'is not stored if its transaction fails', async () => {
    const person = await member();
    await grant(person.spaceId, null, 100);
    const failing = transaction(async (tx) => {
      await usage.reserve(tx, { ...person, tokens: 50, source: 'chat', reference: 'r', leaseMs: 1000 });
      throw CRASH;
    });
    await expect(failing).rejects.toBe(CRASH);
    expect(await openHolds(person.spaceId)).toEqual([]);
  });
});

describe('a charge', () => {
  verifies('usage.charge', 'deletes the reservation and writes one entry, once', async () => {
    const person = await member();
    await grant(person.spaceId, person.userId, 1000);
    await grant(person.spaceId, null, 2000);
    const id = await reserveOrFail(person, 500);
    expect(await chargeReservation(id, chargeOf(person, 100, { completionTokens: 20 }))).toBe(true);
    expect(await chargeReservation(id, chargeOf(person, 100))).toBe(false);
    expect(await balance(person)).toEqual({ user: limited(880), space: limited(1880) });
    expect(await entriesIn(person.spaceId)).toMatchObject([
      { kind: 'GRANT', tokens: '1000' },
      { kind: 'GRANT', tokens: '2000' },
      { kind: 'CHARGE', tokens: '-120' },
    ]);
  });

  verifies('usage.charge', 'is written once if ten charge the same reservation', async () => {
    const person = await member();
    await grant(person.spaceId, null, 1000);
    const id = await reserveOrFail(person, 500);
    const all = await Promise.all(
      Array.from({ length: 10 }, () => chargeReservation(id, chargeOf(person, 7))),
    );
    expect(all.filter(Boolean)).toHaveLength(1);
    expect(await balance(person)).toMatchObject({ space: limited(993) });
  });

  verifies('usage.charge', 'keeps the reservation and writes no entry if its transaction fails', async () => {
    const person = await member();
    await grant(person.spaceId, null, 1000);
    const id = await reserveOrFail(person, 500);
    const failing = transaction(async (tx) => {
      await usage.charge(tx, id, chargeOf(person, 7));
      throw CRASH;
    });
    await expect(failing).rejects.toBe(CRASH);
    expect(await balance(person)).toMatchObject({ space: limited(1000, 500) });
    await transaction((tx) => usage.release(tx, id));
    expect(await balance(person)).toMatchObject({ space: limited(1000) });
  });
});

describe('an expired reservation', () => {
  const expire = (id: string) =>
    app.sql(
      `update usage_reservation set expires_at = clock_timestamp() - interval '1 second' where id = $1`,
      [id],
    );

  verifies('usage.expired', 'is charged with its stored charge, or released', async () => {
    const person = await member();
    await grant(person.spaceId, null, 1000);
    const charged = await reserveOrFail(person, 500, chargeOf(person, 60, { turnId: 'carried' }));
    const free = await reserveOrFail(person, 100);
    const running = await reserveOrFail(person, 50);
    await Promise.all([charged, free].map(expire));
    await Promise.all([usage.chargeExpired(), usage.chargeExpired()]);

    expect(await entriesIn(person.spaceId)).toMatchObject([
      { kind: 'GRANT' },
      { tokens: '-60', estimated: true, reference: 'carried' },
    ]);
    expect(await balance(person)).toMatchObject({ space: limited(940, 50) });
    expect(await chargeReservation(charged, chargeOf(person, 61))).toBe(false);
    expect(await chargeReservation(running, chargeOf(person, 1))).toBe(true);
  });

  verifies('usage.expired', 'is charged by the handler of its source; one that fails remains', async () => {
    const person = await member();
    await grant(person.spaceId, null, 1000);
    usage.onExpiredReservation('job', async ({ reference }) => {
      if (reference === 'broken') throw CRASH;
      return reference === 'unused' ? null : chargeOf(person, 9, { source: 'job', turnId: reference });
    });
    for (const reference of ['broken', 'unused', 'used']) {
      const lease = { ...person, tokens: 10, source: 'job' as const, reference, leaseMs: 1 };
      const id = await transaction((tx) => usage.reserve(tx, lease));
      await expire(id ?? '');
    }
    await usage.chargeExpired();

    expect((await entriesIn(person.spaceId)).slice(1)).toMatchObject([
      { tokens: '-9', estimated: true, reference: 'used' },
    ]);
    expect(await openHolds(person.spaceId)).toHaveLength(1);
    usage.onExpiredReservation('job', async () => null);
    await usage.chargeExpired();
    expect(await balance(person)).toMatchObject({ space: limited(991) });
  });

  verifies('usage.expired', 'remains if it is renewed', async () => {
    const person = await member();
    await grant(person.spaceId, null, 1000);
    const [renewed, left] = [await reserveOrFail(person, 1), await reserveOrFail(person, 2)];
    await Promise.all([renewed, left].map(expire));
    expect(await usage.renew([{ id: renewed }, { id: NOWHERE }])).toEqual([renewed]);
    expect(await usage.renew([])).toEqual([]);
    await usage.chargeExpired();
    expect(await openHolds(person.spaceId)).toEqual([{ id: renewed }]);
  });

  verifies(
    'usage.expired',
    'is skipped if it is renewed in time, and lost once it is being charged',
    async () => {
      const person = await member();
      await grant(person.spaceId, null, 1000);
      const ids: string[] = [];
      for (const reference of ['first', 'second']) {
        const lease = { ...person, tokens: 10, source: 'execute' as const, reference, leaseMs: 60_000 };
        ids.push((await transaction((tx) => usage.reserve(tx, lease))) ?? '');
      }
      await Promise.all(ids.map(expire));
      const [first = '', second = ''] = ids;
      let late: Promise<string[]> | undefined;
      usage.onExpiredReservation('execute', async ({ reference }) => {
        expect(reference).toBe('first');
        late = usage.renew([{ id: first }]);
        await usage.renew([{ id: second }]);
        return null;
      });
      await usage.chargeExpired();
      expect(await late).toEqual([]);
      expect(await openHolds(person.spaceId)).toEqual([{ id: second }]);
    },
  );

  verifies('usage.expired', 'is found in every batch', async () => {
    const person = await member();
    await grant(person.spaceId, null, 1_000_000);
    await app.sql(
      `insert into usage_reservation (space_id, user_id, tokens, source, reference, lease_ms, expires_at)
       select $1, $2, 1, 'relay', 'r', 1000, clock_timestamp() - interval '1 second' from generate_series(1, 205)`,
      [person.spaceId, person.userId],
    );
    await usage.chargeExpired();
    expect(await openHolds(person.spaceId)).toEqual([]);
  });
});

describe('the ledger', () => {
  verifies(
    'usage.ledger',
    'adds up after fifty parallel calls of two users, without a deadlock',
    async () => {
      const person = await member();
      const people = [person, { ...person, userId: app.admin.userId }];
      await grant(person.spaceId, null, 1_000_000);
      for (const { userId } of people) await grant(person.spaceId, userId, 500_000);
      await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const who = people[i % 2] ?? person;
          await chargeReservation(await reserveOrFail(who, 100), chargeOf(who, i));
          await charge(who, 1);
        }),
      );
      expect(await auditLedger(database)).toEqual([]);
      expect(await balance(person)).toMatchObject({ space: limited(1_000_000 - 1225 - 50) });
    },
  );

  verifies('usage.ledger', 'locks all accounts of a batch in one order before it changes any', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, member));
    for (const person of people) await charge(person, 1);
    const spaces = people.map(({ spaceId }) => spaceId).sort();
    const last = spaces.at(-1) ?? NOWHERE;
    const free = () =>
      app.sql<{ spaceId: string }>(
        `select space_id as "spaceId" from usage_account where space_id = any($1::uuid[])
         order by space_id for update skip locked`,
        [spaces],
      );

    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = transaction(async (tx) => {
      await tx.query('select from usage_account where space_id = $1 and user_id is null for update', [last]);
      held.resolve();
      await release.promise;
    });
    await held.promise;
    const calls = people.map((person) => ({ id: uuidV7(), charge: chargeOf(person, 2) }));
    const charging = transaction((tx) => usage.chargeAll(tx, calls.reverse()));
    // All are locked but the account of the user in the last space, which comes after the one that is held.
    await eventually(async () => expect(await free()).toEqual([{ spaceId: last }]));
    release.resolve();
    await Promise.all([holding, charging]);
    for (const person of people)
      expect(await balance(person)).toEqual({ user: unlimited(-3), space: unlimited(-3) });
  });

  verifies('usage.ledger', 'adds up when first grants race with fifty charges', async () => {
    const person = await member();
    const work = Array.from({ length: 50 }, (_, i) => () => charge(person, i + 1));
    const grants = [() => grant(person.spaceId, null, 7), () => grant(person.spaceId, person.userId, 5)];
    work.splice(20, 0, ...[...grants, ...grants].map((one) => () => one().then(() => true)));
    await Promise.all(work.map((one) => one()));
    expect(await auditLedger(database)).toEqual([]);
    const [space = 0, user = 0] = await openingsOf(person);
    expect(await balance(person)).toEqual({
      user: limited(10 + user - 1275),
      space: limited(14 + space - 1275),
    });
  });

  verifies('usage.ledger', 'makes a first grant wait for a charge in progress', async () => {
    const person = await member();
    const written = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const charging = transaction(async (tx) => {
      await usage.charge(tx, uuidV7(), chargeOf(person, 30));
      written.resolve();
      await commit.promise;
    });
    await written.promise;
    const granting = grant(person.spaceId, person.userId, 100);
    await eventually(async () => {
      const waiting = `select 1 from pg_locks where locktype = 'advisory' and classid = 720006 and not granted`;
      expect(await app.sql(waiting)).toHaveLength(1);
    });
    commit.resolve();
    await Promise.all([charging, granting]);
    expect(await balance(person)).toMatchObject({ user: limited(100) });
    expect(await openingsOf(person)).toEqual([0, 30]);
  });

  class Actor {
    constructor(
      readonly spaceId: string,
      readonly model: LedgerModel,
      /** Whether nobody else acts, so that the answer to a hold is known before. */
      readonly alone: boolean,
      /** Holds that only this actor settles. */
      readonly holds: string[] = [],
    ) {}

    person(who: number): Person {
      return { spaceId: this.spaceId, userId: [app.admin, app.member][who]?.userId ?? '' };
    }

    async take(step: LedgerStep): Promise<void> {
      switch (step.kind) {
        case 'grant':
          await this.grant(step.who, step.tokens);
          return;
        case 'hold':
          return this.hold(step.who, step.tokens);
        case 'charge':
          return this.charge(step);
        case 'lose':
          commits.next(/usage_/, step.count);
          return;
        case 'settle':
          return this.settle(step);
        case 'expire':
          return this.expire(step);
      }
    }

    private used(who: number, tokens: number): Charge {
      const completionTokens = Math.floor(tokens / 3);
      return chargeOf(this.person(who), tokens - completionTokens, { completionTokens });
    }

    private async charge({ who, tokens, crash }: LedgerStep & { kind: 'charge' }): Promise<void> {
      const id = uuidV7();
      const charge = this.used(who, tokens);
      if (await this.commits(crash, (tx) => usage.charge(tx, id, charge))) this.model.charge(who, tokens);
    }

    private async grant(who: number, tokens: number): Promise<void> {
      const granting = grant(this.spaceId, who === 2 ? null : this.person(who).userId, tokens);
      if (this.alone) await granting;
      // The losses of eight actors can outlast the retries of one grant: it fails, and is stored once all the same.
      else await granting.catch((error: unknown) => expect(error).toEqual(lostResponse()));
      this.model.grant(who, tokens);
    }

    private async hold(who: number, tokens: number): Promise<void> {
      const mayStart = this.model.mayStart(who);
      const isLimited = this.model.granted[who] === true || this.model.granted[2] === true;
      try {
        const id = await reserve(this.person(who), tokens);
        if (this.alone) expect([mayStart, id !== null]).toEqual([true, isLimited]);
        if (id === null) return;
        this.holds.push(id);
        this.model.holds.set(id, { who, tokens });
      } catch (error) {
        expect(error).toMatchObject({ code: 'INSUFFICIENT_TOKENS' });
        if (this.alone) expect(mayStart).toBe(false);
      }
    }

    private async settle({ pick, tokens, crash }: LedgerStep & { kind: 'settle' }): Promise<void> {
      const id = this.holds[pick % this.holds.length];
      if (id === undefined) return;
      const open = this.model.holds.get(id);
      const charge = this.used(open?.who ?? 0, tokens);
      const committed = await this.commits(crash, async (tx, attempt) => {
        const charged = await usage.charge(tx, id, charge);
        if (attempt === 1) expect(charged).toBe(open !== undefined);
      });
      if (!committed || !open) return;
      this.model.holds.delete(id);
      this.model.charge(open.who, tokens);
    }

    private async expire({ pick, tokens }: LedgerStep & { kind: 'expire' }): Promise<void> {
      const id = this.holds[pick % this.holds.length];
      const open = id === undefined ? undefined : this.model.holds.get(id);
      if (id === undefined || !open) return;
      await app.sql(
        'update usage_reservation set charge_on_expiry = $2, expires_at = clock_timestamp() - interval $$1 second$$ where id = $1',
        [id, JSON.stringify(this.used(open.who, tokens))],
      );
      // Another actor's sweep may have it already.
      await usage.chargeExpired();
      await eventually(async () =>
        expect(await app.sql('select 1 from usage_reservation where id = $1', [id])).toEqual([]),
      );
      this.model.holds.delete(id);
      this.model.charge(open.who, tokens);
    }

    private async commits(
      crash: boolean,
      work: (tx: EntityManager, attempt: number) => Promise<unknown>,
    ): Promise<boolean> {
      let attempt = 0;
      const once = async (tx: EntityManager) => {
        await work(tx, ++attempt);
        if (crash) throw CRASH;
      };
      const done = whileUnavailable(() => transaction(once));
      if (!crash) await done;
      else await expect(done).rejects.toBe(CRASH);
      return !crash;
    }
  }

  async function check(spaceId: string, model: LedgerModel, isAlone: boolean): Promise<void> {
    commits.next(/usage_/, 0);
    expect(await auditLedger(database)).toEqual([]);
    const [space = 0, ...users] = await openingsOf({ spaceId, userId: app.admin.userId });
    const [, second = 0] = await openingsOf({ spaceId, userId: app.member.userId });
    const openings = [...users, second, space];
    // Side by side nobody knows which charges came before a first grant.
    if (isAlone) expect(openings).toEqual(model.openings);
    else model.openings.splice(0, 3, ...openings);
    const [one, two] = await Promise.all(
      [app.admin, app.member].map(({ userId }) => balance({ spaceId, userId })),
    );
    expect([one?.user, two?.user, one?.space]).toEqual([0, 1, 2].map((account) => model.state(account)));
  }

  verifies(
    'usage.ledger',
    'agrees with a model after any mix of grants, reservations, charges, expirations, crashes, and lost responses',
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(ledgerStep, { maxLength: 30 }), async (steps) => {
          const actor = new Actor(await freshSpace(), new LedgerModel(), true);
          for (const one of steps) await actor.take(one);
          await check(actor.spaceId, actor.model, true);
        }),
        { numRuns: scaled('LEDGER_SEQUENCES', { quick: 25, slow: 100 }) },
      ),
  );

  verifies('usage.ledger', 'says the same where eight act at once', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(ledgerStep, { minLength: 4, maxLength: 10 }), { minLength: 8, maxLength: 8 }),
        async (scripts) => {
          const spaceId = await freshSpace();
          const model = new LedgerModel();
          await Promise.all(
            scripts.map(async (steps) => {
              const actor = new Actor(spaceId, model, false);
              for (const one of steps) await actor.take(one);
            }),
          );
          await check(spaceId, model, false);
        },
      ),
      { numRuns: scaled('LEDGER_RACES', { quick: 5, slow: 30 }), endOnFailure: true },
    ),
  );

  it('fails its audit if a balance, a mark, or an entry was changed', async () => {
    const person = await member();
    await grant(person.spaceId, person.userId, 10);
    const wrong = async (statement: string) => {
      const found = Promise.withResolvers<unknown>();
      await transaction(async (tx) => {
        await tx.query(statement, [person.spaceId]);
        found.resolve(await auditLedger(tx));
        throw CRASH;
      }).catch(() => undefined);
      return found.promise;
    };
    const account = { spaceId: person.spaceId, userId: person.userId };
    expect(await wrong('update usage_account set balance = 11 where space_id = $1')).toEqual([
      { ...account, balance: 11, entries: 10, hasGrant: true, grants: 1, held: 0 },
    ]);
    expect(await wrong('update usage_account set has_grant = false where space_id = $1')).toMatchObject([
      { ...account, hasGrant: false, grants: 1 },
    ]);
    expect(await wrong('delete from usage_entry where space_id = $1')).toMatchObject([
      { ...account, balance: 10, entries: 0 },
    ]);
    expect(await wrong('delete from usage_account where space_id = $1')).toMatchObject([
      { ...account, balance: null, entries: 10 },
    ]);
  });
});

describe('the routes', () => {
  let admin: TestUser;
  let someone: TestUser;

  beforeAll(async () => {
    admin = await app.addUser('ADMIN', null);
    someone = await app.addUser('MEMBER', admin.spaceId);
  });

  const summaryOf = ({ userId, email }: TestUser) => ({ id: userId, email, name: email.slice(0, 6) });
  const post = (body: object, as = admin) =>
    app.request<UsageEntry>('POST', '/api/usage/grants', { as, body });

  verifies('usage.grants', 'grant to a member and to the space, and write it down', async () => {
    const { status, body } = await post({ userId: someone.userId, tokens: 5000, note: 'for a start' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'GRANT',
      user: summaryOf(someone),
      tokens: 5000,
      cost: 0,
      source: 'grant',
      agentId: null,
      turnId: null,
      model: null,
      promptTokens: 0,
      completionTokens: 0,
      cachedTokens: 0,
      reasoningTokens: 0,
      estimated: false,
      note: 'for a start',
      createdBy: summaryOf(admin),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const toSpace = await app.client(admin).usage.grant({ userId: null, tokens: 1_000_000_000_000 });
    expect(toSpace).toMatchObject({ user: null, tokens: 1_000_000_000_000, note: null });
    expect(
      await app.sql(
        `select target_type, target_id, details from audit_entry
         where space_id = $1 and action = 'usage.grant' order by id`,
        [admin.spaceId],
      ),
    ).toEqual([
      { target_type: 'user', target_id: someone.userId, details: { tokens: 5000, note: 'for a start' } },
      { target_type: 'space', target_id: admin.spaceId, details: { tokens: 1_000_000_000_000, note: null } },
    ]);
  });

  verifies('usage.grants', 'refuse what is no grant, and who may not', async () => {
    for (const tokens of [0, -5, 1.5, '5', null, 1_000_000_000_001]) {
      const { status, body } = await post({ tokens });
      expect([tokens, status, body]).toEqual([
        tokens,
        400,
        {
          success: false,
          code: 'VALIDATION_ERROR',
          message: expect.stringMatching(/^tokens /),
          errors: [{ path: 'tokens', message: expect.any(String) }],
        },
      ]);
    }
    expect((await post({ tokens: 1, userId: 'x' })).status).toBe(400);
    expect((await post({ tokens: 1, kind: 'CHARGE' })).status).toBe(400);
    expect((await post({ tokens: 1, note: 'a\0b' })).status).toBe(400);
    expect((await post({ tokens: 1, userId: NOWHERE })).status).toBe(404);
    expect((await post({ tokens: 1, userId: app.outsider.userId })).status).toBe(403);
    expect((await post({ tokens: 1 }, someone)).status).toBe(403);
  });

  verifies(
    ['usage.balance', 'usage.entries'],
    "are the caller's own, and all of the space for admins",
    async () => {
      await charge(someone, 100, {
        completionTokens: 20,
        cachedTokens: 60,
        reasoningTokens: 5,
        cost: 0.000_000_123,
        agentId: AGENT,
        turnId: 'turn-1',
      });
      await charge(admin, 7, { source: 'relay', model: 'other', estimated: true });

      expect(await app.client(someone).usage.balance()).toEqual({
        user: limited(4880),
        space: limited(1_000_000_000_000 - 127),
      });
      const own = await app.client(someone).usage.entries();
      expect(own).toMatchObject({
        items: [
          {
            kind: 'CHARGE',
            user: summaryOf(someone),
            tokens: -120,
            promptTokens: 100,
            completionTokens: 20,
            cachedTokens: 60,
            reasoningTokens: 5,
            cost: 0.000_000_123,
            source: 'chat',
            agentId: AGENT,
            turnId: 'turn-1',
            model: 'm',
            estimated: false,
            createdBy: null,
          },
          { kind: 'GRANT', tokens: 5000 },
        ],
        nextCursor: null,
      });
      const tokensOf = async (query = '', as = admin) =>
        (await app.request<Page<UsageEntry>>('GET', `/api/usage/entries${query}`, { as })).body.items.map(
          (entry) => entry.tokens,
        );
      expect(await tokensOf()).toEqual([-7, -120, 1_000_000_000_000, 5000]);
      expect(await tokensOf(`?userId=${someone.userId.toUpperCase()}`)).toEqual([-120, 5000]);
      expect(await tokensOf(`?userId=${someone.userId.toUpperCase()}`, someone)).toEqual([-120, 5000]);
      expect(await tokensOf('?source=relay')).toEqual([-7]);
      expect(await tokensOf('?model=m')).toEqual([-120]);
      const at = own.items[0]?.createdAt ?? '';
      // By source too: the other charge may have come in the same millisecond.
      expect(await tokensOf(`?source=chat&from=${at}&to=${at}`)).toEqual([-120]);
      const before = new Date(Date.parse(at) - 1).toISOString();
      expect(await tokensOf(`?source=chat&to=${before}`)).toEqual([]);
      const far = encodeURIComponent('9999-12-31T23:59:59+23:00');
      expect(await tokensOf(`?from=0000-01-01T00:00:00Z&to=${far}`)).toHaveLength(
        (await tokensOf('')).length,
      );
      expect(await tokensOf('', app.outsider)).toEqual([]);
      const others = await app.request('GET', `/api/usage/entries?userId=${admin.userId}`, { as: someone });
      expect([others.status, others.body.code]).toEqual([403, 'FORBIDDEN']);
    },
  );

  verifies('usage.entries', 'go in pages that are bound to their filter', async () => {
    const { usage } = app.client(admin);
    const first = await usage.entries({ limit: 3 });
    const cursor = first.nextCursor ?? '';
    expect((await usage.entries({ limit: 3, cursor })).items.map(({ tokens }) => tokens)).toEqual([5000]);
    for (const query of [
      `cursor=${cursor}&source=chat`,
      'cursor=x',
      'source=nothing',
      'from=today',
      'to=2026-02-30T00:00:00Z',
      'x=1',
    ]) {
      const { status } = await app.request('GET', `/api/usage/entries?${query}`, { as: admin });
      expect([query, status]).toEqual([query, 400]);
    }
  });

  verifies('usage.summary', 'sum charges by day, model, agent and user', async () => {
    const { usage } = app.client(admin);
    const whole = {
      calls: 2,
      tokens: 127,
      promptTokens: 107,
      completionTokens: 20,
      cachedTokens: 60,
      reasoningTokens: 5,
      cost: 0.000_000_123,
    };
    const keys = ({ groups }: UsageSummary) => groups.map(({ key, tokens }) => [key, tokens]);

    const byDay = await usage.summary();
    expect(byDay).toMatchObject({ window: '7d', groupBy: 'day', total: whole });
    expect(byDay.groups).toHaveLength(8);
    // The day may have ended since the charges were made.
    const [entry] = (await usage.entries({ limit: 1 })).items;
    const used = byDay.groups.filter(({ calls }) => calls > 0);
    expect(used).toEqual([{ key: entry?.createdAt.slice(0, 10), ...whole }]);
    expect([byDay.groups[0]?.key, byDay.groups.at(-1)?.key]).toEqual(
      [byDay.from, byDay.to].map((time) => time.slice(0, 10)),
    );
    expect(Date.parse(byDay.to) - Date.parse(byDay.from)).toBe(7 * 86_400_000);

    expect(keys(await usage.summary({ window: '24h', groupBy: 'model' }))).toEqual([
      ['m', 120],
      ['other', 7],
    ]);
    expect(keys(await usage.summary({ window: '30d', groupBy: 'agent' }))).toEqual([
      [AGENT, 120],
      [null, 7],
    ]);
    const byUser = await usage.summary({ groupBy: 'user' });
    expect(byUser.groups.map(({ user }) => user)).toEqual([summaryOf(someone), summaryOf(admin)]);
    expect(keys(await usage.summary({ groupBy: 'user', userId: admin.userId }))).toEqual([[admin.userId, 7]]);
    expect(keys(await app.client(someone).usage.summary({ groupBy: 'user' }))).toEqual([
      [someone.userId, 120],
    ]);
    await expect(app.client(someone).usage.summary({ userId: admin.userId })).rejects.toMatchObject({
      status: 403,
    });
    const none = await app.client(app.outsider).usage.summary({ groupBy: 'model' });
    expect([none.total.calls, none.groups]).toEqual([0, []]);
    for (const query of ['window=1h', 'groupBy=hour', 'userId=x']) {
      const { status } = await app.request('GET', `/api/usage/summary?${query}`, { as: admin });
      expect([query, status]).toEqual([query, 400]);
    }
  });

  verifies('usage.summary', 'leave out what is older than the window', async () => {
    const person = await member();
    await charge(person, 5);
    await app.sql(`update usage_entry set created_at = now() - interval '25 hours' where space_id = $1`, [
      person.spaceId,
    ]);
    const { spaceId, userId } = person;
    const caller = { kind: 'user' as const, spaceId, userId, role: 'ADMIN' as const };
    const credential = { kind: 'api-key' as const, id: NOWHERE, scopes: [] };
    const callsIn = async (window: '24h' | '7d') => {
      const query = { window, groupBy: 'model' as const };
      return (await app.get(ReportsService).summarize({ ...caller, credential, causationRunId: null }, query))
        .total.calls;
    };
    expect([await callsIn('24h'), await callsIn('7d')]).toEqual([0, 1]);
  });
});
