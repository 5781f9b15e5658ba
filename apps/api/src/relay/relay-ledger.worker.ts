import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Database } from '../infra/database/database.ts';
import { isRejected } from '../infra/database/data-errors.ts';
import { Batched } from '../infra/database/batched.ts';
import { isUnavailable, whileUnavailable } from '../infra/database/unavailable.ts';
import { uuidV7 } from '../infra/runtime/uuid-v7.ts';
import type { Charge } from '../usage/charge.ts';
import { UsageService, type EndedCall } from '../usage/usage.service.ts';

/** After this time the sweeper charges the calls of a process that died. */
const LEASE_MS = 120_000;
const RENEW_MS = 30_000;
/** Shorter calls get no row: on a busy service, the rows would cost as much as the calls. */
const REGISTER_AFTER_MS = 100;
/** How often running calls are looked through for those that need a row, so that no call has a timer of its own. */
const LOOK_MS = 50;
/** How often the progress of a response is stored for the sweeper. */
const PROGRESS_MS = 2_000;
/** How long a caller waits for a reservation while the database is unavailable. */
const RESERVE_RETRY_MS = 3_000;
const BATCH = 100;
const RETRY_MS = 1_000;
/** Calls that end within this time are charged together. */
const GATHER_MS = 20;

/** A call that starts. */
export interface NewCall {
  /** The tokens to reserve; null if no account is limited. */
  tokens: number | null;
  /** The id of the request. */
  reference: string;
  /** Estimates what the call has used so far. */
  estimateCharge: () => Charge;
}

interface OpenCall extends NewCall {
  id: string;
  ended: boolean;
  startedAt: number;
  /** Resolves when the row is written; null while the call needs none. */
  stored: Promise<unknown> | null;
  /** The stored completion tokens, and when they were stored. */
  reported: { tokens: number; at: number };
}

/**
 * Reserves tokens for relayed calls and charges them. Every longer call has a row while it runs, so that the sweeper
 * charges it if the process dies. Charges are written after the responses, in batches.
 */
@Injectable()
export class RelayLedgerWorker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  /** How long after the start of a shutdown charges are still written. The sweeper charges the rest. */
  closingMs = 35_000;
  private readonly logger = new Logger(RelayLedgerWorker.name);
  private readonly calls = new Map<string, OpenCall>();
  private readonly registrations = new Batched((calls: OpenCall[]) => this.writeRegistrations(calls));
  private timer: NodeJS.Timeout | null = null;
  /** Runs while a call may need a row. */
  private looking: NodeJS.Timeout | null = null;
  private queue: EndedCall[] = [];
  private readonly ending = new Set<Promise<void>>();
  private writing: Promise<void> | null = null;
  /** When writing stops; null unless the process is shutting down. */
  private deadline: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly usage: UsageService,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.reportProgress(), PROGRESS_MS).unref();
  }

  /** Returns whether calls of the user must reserve tokens. */
  isLimited(spaceId: string, userId: string): Promise<boolean> {
    return this.usage.isLimited(spaceId, userId);
  }

  /**
   * Starts a call and returns its id for `end`. With a limit it first reserves tokens, or throws 402. Without one, the
   * row is written while the call runs.
   */
  async begin(call: NewCall): Promise<string> {
    const startedAt = performance.now();
    const reported = { tokens: 0, at: startedAt };
    const open: OpenCall = { ...call, id: uuidV7(), ended: false, startedAt, stored: null, reported };
    const { tokens } = call;
    const reservation = tokens === null ? null : { ...toReservation(open), tokens };
    const reservationId =
      reservation &&
      (await whileUnavailable(
        () =>
          // It locks the accounts first, which changes nothing; without their locks, nothing is reserved.
          this.database.transaction((tx) => this.usage.reserve(tx, reservation), {
            lane: reservation.spaceId,
          }),
        undefined,
        RESERVE_RETRY_MS,
      ).catch((error: unknown) => {
        // It may be stored, and the sweeper would charge a call that never started.
        if (isUnavailable(error)) this.enqueue({ id: open.id, charge: null });
        throw error;
      }));
    if (reservationId === null) this.lookLater();
    else open.stored = Promise.resolve();
    this.calls.set(open.id, open);
    return open.id;
  }

  /** Releases the reservation of the call and charges it, soon. */
  end(id: string, charge: Charge | null): void {
    const call = this.calls.get(id);
    if (!call) return;
    call.ended = true;
    this.calls.delete(id);
    if (call.stored === null) {
      this.enqueue({ id, charge });
      return;
    }
    // Only after its row is written; otherwise the row would remain.
    const ending = call.stored.then(() => {
      this.ending.delete(ending);
      this.enqueue({ id, charge });
    });
    this.ending.add(ending);
  }

  /** Resolves when all charges so far are written or abandoned. */
  async drain(): Promise<void> {
    while (this.ending.size > 0 || this.writing) {
      await Promise.all(this.ending);
      await this.writing;
    }
  }

  onModuleDestroy(): void {
    this.deadline = performance.now() + this.closingMs;
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.drain();
  }

  private enqueue(call: EndedCall): void {
    this.queue.push(call);
    this.writing ??= this.write().finally(() => (this.writing = null));
  }

  private lookLater(): void {
    this.looking ??= setTimeout(() => this.registerLongCalls(), LOOK_MS).unref();
  }

  private registerLongCalls(): void {
    this.looking = null;
    const latest = performance.now() - REGISTER_AFTER_MS;
    for (const call of this.calls.values()) {
      if (call.stored !== null) continue;
      if (call.startedAt <= latest) this.register(call);
      else this.lookLater();
    }
  }

  private register(call: OpenCall): void {
    call.stored = this.registrations.get(call).catch((error: unknown) => {
      this.logger.warn({ err: error, call: call.id }, 'A relayed call could not be registered');
    });
  }

  private async writeRegistrations(calls: OpenCall[]): Promise<void[]> {
    const open = calls.filter(({ ended }) => !ended);
    await this.usage.registerCalls(this.database, open.map(toReservation));
    return calls.map(() => undefined);
  }

  private async write(): Promise<void> {
    if (this.deadline === null) await delay(GATHER_MS);
    let size = BATCH;
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, size);
      try {
        await this.save(batch);
        size = BATCH;
      } catch (error) {
        const isRejectedRow = isRejected(error);
        if (batch.length === 1 && isRejectedRow) {
          this.logger.error({ err: error, ...batch[0] }, 'A charge cannot be written');
          continue;
        }
        this.queue.unshift(...batch);
        if (this.deadline !== null && performance.now() > this.deadline) {
          this.abandonQueue(error);
          return;
        }
        size = isRejectedRow ? 1 : BATCH;
        if (!isRejectedRow) await delay(RETRY_MS);
      }
    }
  }

  private async save(batch: EndedCall[]): Promise<void> {
    await this.database.transaction((tx) => this.usage.chargeAll(tx, batch));
  }

  /** Leaves the remaining charges to the sweeper, which finds the rows of the calls. */
  private abandonQueue(error: unknown): void {
    const { length } = this.queue.splice(0);
    this.logger.error({ err: error, calls: length }, 'Charges could not be written before the shutdown');
  }

  /** Renews the rows of running calls, and stores the progress of the responses. */
  private async reportProgress(): Promise<void> {
    const now = performance.now();
    const due = [...this.calls.values()].flatMap((call) => {
      const chargeOnExpiry = call.estimateCharge();
      const tokens = chargeOnExpiry.completionTokens;
      if (tokens <= call.reported.tokens && now - call.reported.at < RENEW_MS) return [];
      call.reported = { tokens, at: now };
      return [{ id: call.id, chargeOnExpiry }];
    });
    await this.usage.renew(due).catch((error: unknown) => this.logger.error({ err: error }));
  }
}

function toReservation({ id, reference, estimateCharge: usedSoFar }: OpenCall) {
  const chargeOnExpiry = usedSoFar();
  const { spaceId, userId } = chargeOnExpiry;
  return { id, spaceId, userId, source: 'relay' as const, reference, leaseMs: LEASE_MS, chargeOnExpiry };
}
