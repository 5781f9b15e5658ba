import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../infra/database/database.ts';
import { Batched } from '../infra/database/batched.ts';
import { pipelined, type Sql } from '../infra/database/rows.ts';
import { MINUTE, SweeperWorker } from '../infra/database/sweeper.worker.ts';
import { FactsService } from '../infra/facts/facts.service.ts';
import { uuidV7 } from '../infra/runtime/uuid-v7.ts';
import { assertTokensAvailable, type Charge, type ChargeSource } from './charge.ts';
import {
  listExpiredReservations,
  insertReservation,
  insertReservations,
  lockExpiredReservation,
  deleteReservations,
  renewReservations,
  type ExpiredPosition,
  type Reservation,
  type Renewal,
} from './reservations.store.ts';
import { loadLimits, listLimitedAccounts, lockLimitedAccounts, postEntries } from './ledger.store.ts';

/** A reservation whose lease has expired. */
export interface ExpiredReservation {
  id: string;
  reference: string;
}

/**
 * Returns what the call of an expired reservation used: null if nothing, `running` if the call is still running, which
 * renews the reservation. It only reads and locks no rows.
 */
export type ExpiredReservationHandler = (
  reservation: ExpiredReservation,
  tx: EntityManager,
) => Promise<Charge | null | 'running'>;

export interface EndedCall {
  /** The id of its reservation, or the id that was chosen for a call without one. */
  id: string;
  /** Null if it used nothing. */
  charge: Charge | null;
}

/** A reservation without an `id` gets a new one. */
export type NewReservation = Omit<Reservation, 'id'> & { id?: string };

const BATCH = 100;

/** The ledger for modules that call models: reserve before a call, then charge or release. */
@Injectable()
export class UsageService implements OnModuleInit {
  private readonly logger = new Logger(UsageService.name);
  private readonly limits = new Batched((users: { spaceId: string; userId: string }[]) =>
    loadLimits(this.database, users),
  );
  private readonly handlers = new Map<ChargeSource, ExpiredReservationHandler>();

  constructor(
    private readonly database: Database,
    private readonly sweeper: SweeperWorker,
    private readonly facts: FactsService,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('expired reservations', () => this.chargeExpired(), MINUTE);
  }

  /** Registers the handler for the expired reservations of a source; one per source. */
  onExpiredReservation(source: ChargeSource, handler: ExpiredReservationHandler): void {
    this.handlers.set(source, handler);
  }

  /** Throws 402 if a call could not start now. Takes no lock, so only `reserve` decides. */
  async assertBalance(sql: Sql, spaceId: string, userId: string): Promise<void> {
    assertTokensAvailable(await listLimitedAccounts(sql, spaceId, userId));
  }

  /** Returns whether calls of the user must `reserve`. */
  isLimited(spaceId: string, userId: string): Promise<boolean> {
    return this.limits.get({ spaceId, userId });
  }

  /**
   * Reserves tokens for a call. Returns the id of the reservation, or null if no account is limited and there is nothing
   * to renew. Throws 402 if no tokens are left, and then the transaction must be rolled back. It locks the accounts until
   * the commit, so it must come late in the transaction. With a given `id` it can be repeated: the reservation is stored
   * once.
   */
  async reserve(
    tx: EntityManager,
    { id = uuidV7(), ...reservation }: NewReservation,
  ): Promise<string | null> {
    const { spaceId, userId } = reservation;
    // Stored before the check: if no tokens are left, the transaction is rolled back.
    const [accounts, reserved] = await pipelined(
      lockLimitedAccounts(tx, spaceId, userId),
      insertReservation(tx, { ...reservation, id }),
    );
    // An earlier transaction stored it, but its response was lost; other calls may have reserved the rest since.
    if (reserved.existed) return id;
    if (!reserved.stored) return null;
    assertTokensAvailable(
      accounts.map((account) => ({
        ...account,
        reserved: account.userId === null ? reserved.space : reserved.user,
      })),
    );
    return id;
  }

  /**
   * Stores calls without a limit as reservations of 0 tokens, so that the sweeper charges their `chargeOnExpiry` if the
   * process dies. Takes no lock.
   */
  async registerCalls(sql: Sql, calls: Omit<Reservation, 'tokens'>[]): Promise<void> {
    if (calls.length === 0) return;
    await insertReservations(
      sql,
      calls.map((call) => ({ ...call, tokens: 0 })),
    );
  }

  /** Extends reservations by one lease from now. Returns the ids of those that still exist. */
  async renew(renewals: Renewal[], sql: Sql = this.database): Promise<string[]> {
    return renewals.length === 0 ? [] : renewReservations(sql, renewals);
  }

  /**
   * Charges a call and releases its reservation. Returns false if the call has been charged before: a call is charged
   * once, no matter how often and by which process. It locks the accounts until the commit, so it must come last in the
   * transaction.
   */
  async charge(tx: EntityManager, id: string, charge: Charge): Promise<boolean> {
    return (await this.chargeAll(tx, [{ id, charge }])).has(id);
  }

  /** Releases the reservation of a call that used nothing. */
  async release(tx: EntityManager, id: string): Promise<void> {
    await deleteReservations(tx, [id]);
  }

  /**
   * Charges or releases many calls in a transaction that does nothing else. Returns the ids of the calls that were
   * charged now.
   */
  async chargeAll(tx: EntityManager, calls: EndedCall[]): Promise<Set<string>> {
    const ids = calls.map(({ id }) => id);
    const entries = calls.flatMap(({ id, charge }) =>
      charge ? [{ id, kind: 'CHARGE' as const, charge }] : [],
    );
    const [, ended] = await pipelined(
      deleteReservations(tx, ids),
      entries.length > 0 ? postEntries(tx, entries) : null,
    );
    for (const { spaceId, balance, granted } of ended?.low ?? []) {
      const fact = {
        spaceId,
        key: `${spaceId}:${uuidV7()}`,
        payload: { balance, granted },
        causationRunId: null,
      };
      await this.facts.record(tx, { ...fact, name: 'balance.low' });
    }
    return ended?.posted ?? new Set();
  }

  /** Charges or releases the reservations whose lease has expired, each in its own transaction. */
  async chargeExpired(): Promise<void> {
    let after: ExpiredPosition | null = null;
    do {
      const expired: ExpiredPosition[] = await listExpiredReservations(this.database, after, BATCH);
      for (const { id } of expired) {
        await this.chargeExpiredReservation(id).catch((error: unknown) =>
          this.logger.error(
            { err: error, reservation: id },
            'An expired reservation could not be charged; retrying',
          ),
        );
      }
      after = expired[BATCH - 1] ?? null;
    } while (after !== null);
  }

  private chargeExpiredReservation(id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const reservation = await lockExpiredReservation(tx, id);
      if (!reservation) return;
      const { source, reference, chargeOnExpiry } = reservation;
      const handler = this.handlers.get(source);
      const charge =
        handler && chargeOnExpiry === null ? await handler({ id, reference }, tx) : chargeOnExpiry;
      if (charge === 'running') await renewReservations(tx, [{ id }]);
      else await this.chargeAll(tx, [{ id, charge: charge && { ...charge, estimated: true } }]);
    });
  }
}
