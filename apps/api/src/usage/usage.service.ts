import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Batched } from '../infra/batched.ts';
import type { Sql } from '../infra/database/rows.ts';
import { MINUTE, Sweeper } from '../infra/sweeper.ts';
import { uuidV7 } from '../infra/uuid-v7.ts';
import { assertSomethingLeft, type Charge, type ChargeSource } from './charge.ts';
import {
  expiredHolds,
  sumReservedTokens,
  insertHolds,
  lockExpiredReservation,
  deleteReservations,
  renewReservations,
  type ExpiredPosition,
  type Hold,
  type Renewal,
} from './holds.store.ts';
import { haveLimits, limitedAccounts, lockLimited, postEntries } from './ledger.store.ts';

/** A hold that has expired. */
export interface ExpiredCall {
  id: string;
  reference: string;
}

/** What was used by the call: null is nothing, and `running` leaves the hold. It reads, and locks no row. */
export type ExpiredReservationHandler = (
  call: ExpiredCall,
  tx: EntityManager,
) => Promise<Charge | null | 'running'>;

/** How a call ended. */
export interface Settlement {
  /** The id of its hold, or one that was chosen for a call without a hold. */
  id: string;
  /** Null: it used nothing. */
  charge: Charge | null;
}

/** Without an `id` it gets one. */
export type NewHold = Omit<Hold, 'id'> & { id?: string };

const BATCH = 100;

/** The ledger, for whoever calls models: hold before the call, settle or charge with its end. */
@Injectable()
export class UsageService implements OnModuleInit {
  private readonly logger = new Logger(UsageService.name);
  private readonly limits = new Batched((people: { spaceId: string; userId: string }[]) =>
    haveLimits(this.database, people),
  );
  private readonly expired = new Map<ChargeSource, ExpiredReservationHandler>();

  constructor(
    private readonly database: DataSource,
    private readonly sweeper: Sweeper,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('expired holds', () => this.settleExpired(), MINUTE);
  }

  /** Who finds out what was used when a holder of that source has died; one per source. */
  onExpiredReservation(source: ChargeSource, handler: ExpiredReservationHandler): void {
    this.expired.set(source, handler);
  }

  /** 402 where a call could not start now. Takes no lock: `hold` decides. */
  async assertBalance(sql: Sql, spaceId: string, userId: string): Promise<void> {
    assertSomethingLeft(await limitedAccounts(sql, spaceId, userId));
  }

  /** Whether calls of the user have to `hold`. */
  isLimited(spaceId: string, userId: string): Promise<boolean> {
    return this.limits.get({ spaceId, userId });
  }

  /**
   * Keeps tokens back for a call that starts with this transaction; 402 where nothing is left. Null: no limit, so
   * there is nothing to renew. It locks the accounts until the commit, so it comes late in the transaction. A hold
   * that is given its `id` may be stored again: the same one is there once.
   */
  async hold(tx: EntityManager, { id = uuidV7(), ...hold }: NewHold): Promise<string | null> {
    const accounts = await lockLimited(tx, hold.spaceId, hold.userId);
    if (accounts.length === 0) return null;
    const held = await sumReservedTokens(tx, hold.spaceId, hold.userId, id);
    // It was stored by a transaction whose answer was lost, and what is left may be held by others by now.
    if (held.isThere) return id;
    assertSomethingLeft(
      accounts.map((account) => ({ ...account, held: account.userId === null ? held.space : held.user })),
    );
    await insertHolds(tx, [{ ...hold, id }]);
    return id;
  }

  /**
   * Notes calls that keep nothing back, because no account is limited: should their process die, the sweeper charges
   * what they carry. Takes no lock.
   */
  async note(sql: Sql, calls: Omit<Hold, 'tokens'>[]): Promise<void> {
    if (calls.length > 0)
      await insertHolds(
        sql,
        calls.map((call) => ({ ...call, tokens: 0 })),
      );
  }

  /** Holds them for one more lease from now; returns those that still stand. */
  async renew(renewals: Renewal[], sql: Sql = this.database): Promise<string[]> {
    return renewals.length === 0 ? [] : renewReservations(sql, renewals);
  }

  /**
   * Ends a call: gives back what it holds and writes its entry, unless the entry is there. False where it was: a call
   * is charged once, however often and by whomever it is settled. Comes last in the transaction, for it locks the
   * accounts until the commit.
   */
  async settle(tx: EntityManager, id: string, charge: Charge | null): Promise<boolean> {
    return (await this.settleAll(tx, [{ id, charge }])).has(id);
  }

  /** As `settle`, for many calls in one transaction that does nothing else; returns those that were charged. */
  async settleAll(tx: EntityManager, settlements: Settlement[]): Promise<Set<string>> {
    await deleteReservations(
      tx,
      settlements.map(({ id }) => id),
    );
    const entries = settlements.flatMap(({ id, charge }) =>
      charge ? [{ id, kind: 'CHARGE' as const, charge }] : [],
    );
    return entries.length > 0 ? postEntries(tx, entries) : new Set();
  }

  /** Settles the holds whose lease has passed, each in a transaction of its own, from what was stored. */
  async settleExpired(): Promise<void> {
    let after: ExpiredPosition | null = null;
    do {
      const expired: ExpiredPosition[] = await expiredHolds(this.database, after, BATCH);
      for (const { id } of expired) {
        await this.settleAbandoned(id).catch((error: unknown) =>
          this.logger.error({ err: error, hold: id }, 'An expired hold could not be settled; trying again'),
        );
      }
      after = expired[BATCH - 1] ?? null;
    } while (after !== null);
  }

  private settleAbandoned(id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const hold = await lockExpiredReservation(tx, id);
      if (!hold) return;
      const handler = this.expired.get(hold.source);
      const { reference, settleWith } = hold;
      const charge = handler && settleWith === null ? await handler({ id, reference }, tx) : settleWith;
      if (charge === 'running') await renewReservations(tx, [{ id }]);
      else await this.settle(tx, id, charge && { ...charge, estimated: true });
    });
  }
}
