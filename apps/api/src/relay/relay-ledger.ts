import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isRejected } from '../infra/database/data-errors.ts';
import { Batched } from '../infra/batched.ts';
import { Lanes } from '../infra/database/lanes.ts';
import { whileUnavailable } from '../infra/database/unavailable.ts';
import { uuidV7 } from '../infra/uuid-v7.ts';
import type { Charge } from '../usage/charge.ts';
import { UsageService, type EndedCall } from '../usage/usage.service.ts';

/** Of what a process that dies leaves behind. */
const LEASE_MS = 120_000;
const RENEW_MS = 30_000;
/** What ends sooner is never noted: its charge is as quick as its row would be. */
const REGISTER_AFTER_MS = 20;
/** How much of an answer may be unknown to the sweeper. */
const PROGRESS_MS = 2_000;
/** How long a caller waits for a hold while the database is away. */
const RESERVE_RETRY_MS = 3_000;
const BATCH = 100;
const RETRY_MS = 1_000;
/** What ends meanwhile is written together. */
const GATHER_MS = 20;

/** A call that begins. */
export interface NewCall {
  /** The tokens to hold; null: no account is limited. */
  tokens: number | null;
  /** The id of the request. */
  reference: string;
  /** What it has used by now, by a rough count. */
  estimateCharge: () => Charge;
}

interface OpenCall extends NewCall {
  id: string;
  ended: boolean;
  /** Until its row is written. */
  timer: NodeJS.Timeout | null;
  /** Resolves when no row of it is on its way to the database. */
  stored: Promise<unknown>;
  /** The completion tokens that the sweeper knows of, and when it was told. */
  reported: { tokens: number; at: number };
}

/**
 * What calls of the relay hold and are charged. Each has a row from its beginning on, so that the sweeper charges
 * those whose process dies; entries are written behind the answers, many at once.
 */
@Injectable()
export class RelayLedger implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  /** So long after a shutdown began it still tries to write charges; the sweeper has the rest. */
  closingMs = 35_000;
  private readonly logger = new Logger(RelayLedger.name);
  private readonly calls = new Map<string, OpenCall>();
  private readonly registrations = new Batched((calls: OpenCall[]) => this.writeRegistrations(calls));
  private timer: NodeJS.Timeout | null = null;
  private queue: EndedCall[] = [];
  private readonly ending = new Set<Promise<void>>();
  private writing: Promise<void> | null = null;
  /** When writing is given up; null: the process is not shutting down. */
  private deadline: number | null = null;

  constructor(
    private readonly database: DataSource,
    private readonly usage: UsageService,
    private readonly lanes: Lanes,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.reportProgress(), PROGRESS_MS).unref();
  }

  /** Whether the caller's calls have to hold. */
  isLimited(spaceId: string, userId: string): Promise<boolean> {
    return this.usage.isLimited(spaceId, userId);
  }

  /**
   * Returns the id by which the call is settled. With a limit it keeps tokens back first, or throws 402; without one
   * a row is written while the call runs, which does not wait for it.
   */
  async begin(call: NewCall): Promise<string> {
    const told = { tokens: 0, at: performance.now() };
    const open: OpenCall = {
      ...call,
      id: uuidV7(),
      ended: false,
      timer: null,
      stored: Promise.resolve(),
      reported: told,
    };
    const { tokens } = call;
    const hold = tokens === null ? null : { ...rowOf(open), tokens };
    const held =
      hold &&
      (await whileUnavailable(
        () =>
          this.lanes.run(hold.spaceId, () => this.database.transaction((tx) => this.usage.reserve(tx, hold))),
        undefined,
        RESERVE_RETRY_MS,
      ));
    if (held === null) open.timer = setTimeout(() => this.register(open), REGISTER_AFTER_MS).unref();
    this.calls.set(open.id, open);
    return open.id;
  }

  /** Gives back what the call holds and charges what was used, soon. */
  end(id: string, charge: Charge | null): void {
    const call = this.calls.get(id);
    if (!call) return;
    call.ended = true;
    if (call.timer) clearTimeout(call.timer);
    this.calls.delete(id);
    // Not before its row: that would stay behind.
    const ending = call.stored.then(() => {
      this.ending.delete(ending);
      this.queue.push({ id, charge });
      this.writing ??= this.write().finally(() => (this.writing = null));
    });
    this.ending.add(ending);
  }

  /** Resolves when everything so far is written, or given up. */
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

  private register(call: OpenCall): void {
    call.timer = null;
    call.stored = this.registrations.get(call).catch((error: unknown) => {
      this.logger.warn({ err: error, call: call.id }, 'A call of the relay was not noted');
    });
  }

  private async writeRegistrations(calls: OpenCall[]): Promise<void[]> {
    const open = calls.filter(({ ended }) => !ended);
    await this.usage.registerCalls(this.database, open.map(rowOf));
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
        const broken = isRejected(error);
        if (batch.length === 1 && broken) {
          this.logger.error({ err: error, ...batch[0] }, 'A charge cannot be written');
          continue;
        }
        this.queue.unshift(...batch);
        if (this.deadline !== null && performance.now() > this.deadline) {
          this.abandonQueue(error);
          return;
        }
        size = broken ? 1 : BATCH;
        if (!broken) await delay(RETRY_MS);
      }
    }
  }

  private async save(batch: EndedCall[]): Promise<void> {
    await this.database.transaction((tx) => this.usage.chargeAll(tx, batch));
  }

  /** Leaves what is not written to the sweeper, by the rows that the calls have. */
  private abandonQueue(error: unknown): void {
    const { length } = this.queue.splice(0);
    this.logger.error({ err: error, calls: length }, 'Charges could not be written before the shutdown');
  }

  /** Keeps the rows of running calls alive, and tells them how far the answers have come. */
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

function rowOf({ id, reference, estimateCharge: usedSoFar }: OpenCall) {
  const chargeOnExpiry = usedSoFar();
  const { spaceId, userId } = chargeOnExpiry;
  return { id, spaceId, userId, source: 'relay' as const, reference, leaseMs: LEASE_MS, chargeOnExpiry };
}
