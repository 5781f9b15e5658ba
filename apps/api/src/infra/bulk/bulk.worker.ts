import type { PlatformConfig } from '../config/platform-config.ts';
import { ClaimWorker } from '../database/claim-worker.ts';
import type { BackgroundDatabase } from '../database/database.ts';
import { isUnavailable } from '../database/unavailable.ts';
import { Sleeper } from '../runtime/sleeper.ts';
import {
  bulkWorkWaiting,
  claimBulkWork,
  failBulkWork,
  releaseBulkWork,
  type BulkTable,
  type ClaimedBulkWork,
} from './bulk-work.store.ts';

/** After a failure of the database. */
const RETRY_MS = 1_000;
/** How much work of a kind a process executes at the same time. */
const MAX_RUNNING = 4;
const BATCHES_PER_SECOND = 10;
/** How long work may keep its place in a process while other work waits for one: slow work takes hours. */
const HOLD_MS = 2_000;

/** What a batch has done. */
export interface BulkBatch {
  /** How many rows were changed or refused. */
  handled: number;
  /** Where the next batch begins. */
  position: string | null;
  isComplete: boolean;
}

/**
 * Executes work on many rows in batches, at its rate. A lease keeps two workers from competing; the position decides. Each
 * batch stores what it does and its progress in one transaction, so whoever repeats it does nothing twice.
 */
export abstract class BulkWorker<Query, Batch extends BulkBatch> extends ClaimWorker<ClaimedBulkWork<Query>> {
  constructor(
    config: PlatformConfig,
    database: BackgroundDatabase,
    private readonly kind: { name: string; table: BulkTable },
  ) {
    const { name, table } = kind;
    super(config, database, {
      name,
      maxRunning: MAX_RUNNING,
      waiting: bulkWorkWaiting(table),
      claim: (sql) => claimBulkWork(sql, table),
    });
  }

  /** Executes at most `size` rows after the position. Null: the work was stopped, or continued by another worker. */
  protected abstract executeNext(work: ClaimedBulkWork<Query>, size: number): Promise<Batch | null>;

  /** Tells others what a batch has done, after its commit. */
  protected abstract publish(batch: Batch): Promise<void>;

  /** Never rejects. Ends early if the process stops, if another worker has taken over, or after a while: then others have their turn. */
  protected async execute(work: ClaimedBulkWork<Query>): Promise<void> {
    const pause = new Sleeper();
    const wake = () => pause.wake();
    this.signal.addEventListener('abort', wake, { once: true });
    await this.executeBatches(work, pause).finally(() => this.signal.removeEventListener('abort', wake));
  }

  private async executeBatches(work: ClaimedBulkWork<Query>, pause: Sleeper): Promise<void> {
    const { signal } = this;
    const size = Math.ceil(work.perSecond / BATCHES_PER_SECOND);
    let dueAt = performance.now();
    const until = dueAt + HOLD_MS;
    while (!signal.aborted) {
      try {
        const batch = await this.executeNext(work, size);
        if (batch === null) return;
        await this.publish(batch);
        if (batch.isComplete) return;
        work.position = batch.position;
        // A pause that lasted too long is not made up for.
        dueAt = Math.max(dueAt, performance.now() - 1_000) + (1_000 * batch.handled) / work.perSecond;
        await pause.sleep(Math.max(0, dueAt - performance.now()));
        if (performance.now() > until) break;
      } catch (error) {
        if (!isUnavailable(error)) return this.fail(work, error);
        await pause.sleep(RETRY_MS);
      }
    }
    await releaseBulkWork(this.database, this.kind.table, work).catch(() => undefined);
  }

  private async fail({ id }: ClaimedBulkWork<Query>, error: unknown): Promise<void> {
    this.logger.error({ err: error, table: this.kind.table.name, id });
    const problem = 'An unexpected error; see the log of the service';
    await failBulkWork(this.database, this.kind.table, id, problem).catch(() => undefined);
  }
}
