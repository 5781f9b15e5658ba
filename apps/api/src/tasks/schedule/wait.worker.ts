import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { isRejected } from '../../infra/database/data-errors.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { SpaceTurns } from '../../infra/runtime/space-turns.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { endDueWaits, listDueRuns, postponeDueWaits, WAITS_DUE, type EndedWaits } from './due-waits.store.ts';

const IDLE_MS = 500;
/** How many waits one transaction ends. */
const BATCH = 200;
/** How many waits of a space end before those of others that are due. */
const SHARE = 1_000;

/** Ends what runs wait for when it is due, in turns of spaces, and queues the runs. */
@Injectable()
export class WaitWorker extends PollWorker {
  private readonly turns = new SpaceTurns(SHARE);

  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly creation: RunCreationService,
  ) {
    super(config, { failure: 'Waits could not be ended', retryMs: IDLE_MS });
  }

  protected async poll(): Promise<number> {
    if (!(await this.database.hasRows(WAITS_DUE))) return IDLE_MS;
    while (!this.signal.aborted && (await this.endDue()) > 0);
    return IDLE_MS;
  }

  /** Ends waits that are due. Returns of how many runs; also those count that execute, or are queued already. */
  async endDue(): Promise<number> {
    const due = await this.turns.take((served) => listDueRuns(this.database, served, BATCH));
    const { count, queued } = await this.endWaits(due.map(({ runId }) => runId));
    failpoint('runs.waits-ended');
    if (queued.length > 0) await this.creation.publish(queued);
    return count;
  }

  /** A run whose waits PostgreSQL rejects stops no other one. */
  private async endWaits(runIds: readonly string[]): Promise<EndedWaits> {
    try {
      return await this.database.transaction(async (tx) => {
        const ended = await endDueWaits(tx, runIds);
        failpoint('runs.waits-ending');
        return ended;
      });
    } catch (err) {
      if (!isRejected(err)) throw err;
      const [first, ...others] = new Set(runIds);
      if (first === undefined) throw err;
      if (others.length > 0) {
        const all: EndedWaits = { count: 0, queued: [] };
        for (const id of [first, ...others]) {
          const { count, queued } = await this.endWaits([id]);
          all.count += count;
          all.queued.push(...queued);
        }
        return all;
      }
      this.logger.error({ err, run: first }, 'The waits of a run could not be ended');
      await postponeDueWaits(this.database, first);
      return { count: 1, queued: [] };
    }
  }
}
