import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Lanes } from '../infra/database/lanes.ts';
import type { Charge } from '../usage/charge.ts';
import { UsageService, type Settlement } from '../usage/usage.service.ts';

const LEASE_MS = 120_000;
const RENEW_MS = 30_000;
const BATCH = 100;
const RETRY_MS = 1_000;
/** What ends meanwhile is written together. */
const GATHER_MS = 20;

/** What calls of the relay hold and are charged; entries are written behind the answers, many at once. */
@Injectable()
export class RelayLedger implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RelayLedger.name);
  private readonly holds = new Set<string>();
  private readonly renewal = setInterval(() => void this.renew(), RENEW_MS).unref();
  private queue: Settlement[] = [];
  private writing: Promise<void> | null = null;
  private closing = false;

  constructor(
    private readonly database: DataSource,
    private readonly usage: UsageService,
    private readonly lanes: Lanes,
  ) {}

  /** Whether the caller's calls have to hold. */
  isLimited(spaceId: string, userId: string): Promise<boolean> {
    return this.usage.isLimited(spaceId, userId);
  }

  /** Keeps tokens back; 402 where nothing is left. Null: no limit. `prompt` is charged should this process die. */
  async hold(tokens: number, reference: string, prompt: Charge): Promise<string | null> {
    const { spaceId, userId } = prompt;
    const hold = { spaceId, userId, tokens, source: 'relay', reference, leaseMs: LEASE_MS } as const;
    const holdId = await this.lanes.run(spaceId, () =>
      this.database.transaction((tx) => this.usage.hold(tx, { ...hold, settleWith: prompt })),
    );
    if (holdId !== null) this.holds.add(holdId);
    return holdId;
  }

  /** Gives the hold back and charges what was used, soon. */
  settle(holdId: string | null, charge: Charge | null): void {
    if (holdId === null && charge === null) return;
    this.queue.push({ holdId, charge });
    this.writing ??= this.write().finally(() => (this.writing = null));
  }

  /** Resolves when everything so far is written. */
  async settled(): Promise<void> {
    await this.writing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    clearInterval(this.renewal);
    await this.settled();
  }

  private async write(): Promise<void> {
    if (!this.closing) await delay(GATHER_MS);
    let size = BATCH;
    while (this.queue.length > 0) {
      const batch = this.queue.splice(0, size);
      try {
        await this.save(batch);
        size = BATCH;
      } catch (error) {
        const broken = isBroken(error);
        if (batch.length === 1 && (broken || this.closing)) {
          this.logger.error({ err: error, ...batch[0] }, 'A charge cannot be written');
          continue;
        }
        this.queue.unshift(...batch);
        size = 1;
        if (!broken && !this.closing) await delay(RETRY_MS);
      }
    }
  }

  private async save(batch: Settlement[]): Promise<void> {
    await this.database.transaction((tx) => this.usage.settleAll(tx, batch));
    for (const { holdId } of batch) if (holdId !== null) this.holds.delete(holdId);
  }

  private async renew(): Promise<void> {
    await this.usage.renew([...this.holds]).catch((error: unknown) => this.logger.error({ err: error }));
  }
}

/** Whether the database refuses the row itself, now and ever. */
function isBroken(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^2[23]/.test(code);
}
