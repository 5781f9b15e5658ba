import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Batched } from '../infra/batched.ts';
import type { Sql } from '../infra/database/rows.ts';
import { MINUTE, Sweeper } from '../infra/sweeper.ts';
import { assertSomethingLeft, type Charge, type ChargeSource } from './charge.ts';
import {
  expiredHoldIds,
  haveLimits,
  heldTokens,
  insertHold,
  limitedAccounts,
  lockExpiredHold,
  lockLimited,
  postCharge,
  postCharges,
  removeHold,
  removeHolds,
  renewHolds,
  type Hold,
} from './ledger.store.ts';

/** What was used by the call of that reference; null: nothing. It reads, and locks no row. */
export type ExpiredHoldHandler = (reference: string, tx: EntityManager) => Promise<Charge | null>;

/** How a call ended. */
export interface Settlement {
  holdId: string | null;
  /** Null: it used nothing. */
  charge: Charge | null;
}

const BATCH = 100;

/** The ledger, for whoever calls models: hold before the call, settle or charge with its end. */
@Injectable()
export class UsageService implements OnModuleInit {
  private readonly logger = new Logger(UsageService.name);
  private readonly limits = new Batched((people: { spaceId: string; userId: string }[]) =>
    haveLimits(this.database, people),
  );
  private readonly expired = new Map<ChargeSource, ExpiredHoldHandler>();

  constructor(
    private readonly database: DataSource,
    private readonly sweeper: Sweeper,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('expired holds', () => this.settleExpired(), MINUTE);
  }

  /** Who finds out what was used when a holder of that source has died; one per source. */
  onExpiredHold(source: ChargeSource, handler: ExpiredHoldHandler): void {
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
   * there is nothing to renew. It locks the accounts until the commit, so it comes late in the transaction.
   */
  async hold(tx: EntityManager, hold: Hold): Promise<string | null> {
    const accounts = await lockLimited(tx, hold.spaceId, hold.userId);
    if (accounts.length === 0) return null;
    const held = await heldTokens(tx, hold.spaceId, hold.userId);
    assertSomethingLeft(
      accounts.map((account) => ({ ...account, held: account.userId === null ? held.space : held.user })),
    );
    return insertHold(tx, hold);
  }

  /** Holds them for one more lease from now; answers those that still stand. */
  async renew(holdIds: string[], sql: Sql = this.database): Promise<string[]> {
    return holdIds.length === 0 ? [] : renewHolds(sql, holdIds);
  }

  /**
   * Gives the hold back and writes the entry; without a hold only the entry. False, and no entry, where the hold
   * was settled before. Comes last in the transaction, for it locks the accounts until the commit.
   */
  async settle(tx: EntityManager, holdId: string | null, charge: Charge): Promise<boolean> {
    if (holdId !== null && !(await removeHold(tx, holdId))) return false;
    await postCharge(tx, charge);
    return true;
  }

  /** As `settle`, for many calls in one transaction that does nothing else; a null charge gives back alone. */
  async settleAll(tx: EntityManager, settlements: Settlement[]): Promise<void> {
    const holdIds = settlements.flatMap(({ holdId }) => holdId ?? []);
    const removed = holdIds.length > 0 ? await removeHolds(tx, holdIds) : new Set();
    const due = settlements.filter(({ holdId }) => holdId === null || removed.has(holdId));
    const charges = due.flatMap(({ charge }) => charge ?? []);
    if (charges.length > 0) await postCharges(tx, charges);
  }

  /** Writes an entry for a call that held nothing. Comes last in the transaction, as `settle`. */
  charge(tx: EntityManager, charge: Charge): Promise<void> {
    return postCharge(tx, charge);
  }

  /** Gives back a hold whose call used nothing; false where it was settled before. */
  release(tx: EntityManager, holdId: string): Promise<boolean> {
    return removeHold(tx, holdId);
  }

  /** Settles the holds whose lease has passed, each in a transaction of its own, from what was stored. */
  async settleExpired(): Promise<void> {
    let after: string | null = null;
    do {
      const ids = await expiredHoldIds(this.database, after, BATCH);
      for (const id of ids) {
        await this.settleAbandoned(id).catch((error: unknown) =>
          this.logger.error({ err: error, hold: id }, 'An expired hold could not be settled; trying again'),
        );
      }
      after = ids[BATCH - 1] ?? null;
    } while (after !== null);
  }

  private settleAbandoned(id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const hold = await lockExpiredHold(tx, id);
      if (!hold) return;
      const handler = this.expired.get(hold.source);
      const charge = handler ? await handler(hold.reference, tx) : hold.settleWith;
      if (charge) await this.settle(tx, id, { ...charge, estimated: true });
      else await this.release(tx, id);
    });
  }
}
