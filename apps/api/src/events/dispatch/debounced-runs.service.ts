import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { SweeperWorker } from '../../infra/database/sweeper.worker.ts';
import { RunCreationService } from '../../tasks/runs/run-creation.service.ts';
import * as store from './debounced-runs.store.ts';
import type { DeliveredRun } from './matching.ts';

/**
 * The runs of subscriptions that wait until their event has been quiet. A run is queued for the end of the window by the first event
 * of a key. As long as it has not begun, further events take it over and move that end; nothing else is buffered.
 */
@Injectable()
export class DebouncedRunsService implements OnModuleInit {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly sweeper: SweeperWorker,
    private readonly runs: RunCreationService,
  ) {}

  onModuleInit(): void {
    this.sweeper.register('debounced_run', (limit) => store.purgeDebounced(this.database, limit));
  }

  /** Stores the runs of deliveries that wait, which the transaction has stored with run ids of their own. */
  async store(tx: EntityManager, delivered: readonly DeliveredRun[]): Promise<void> {
    // The last event of a key in the batch stands for the others.
    const last = new Map(delivered.map((run) => [nameOf(run), run]));
    const known = new Map(
      (await store.lockDebounced(tx, [...last.values()].map(toDebounced))).map((row) => [
        `${row.subscriptionId} ${row.keyHash}`,
        row.runId,
      ]),
    );
    const idOf = (run: DeliveredRun) => known.get(nameOf(run)) ?? run.id;
    const others = [...last.values()].filter((run) => idOf(run) !== run.id);
    const replaced = new Set(
      others.length === 0
        ? []
        : await this.runs.replaceEventRuns(
            tx,
            others.map((run) => ({ ...run, id: idOf(run) })),
            others.map(delayOf),
          ),
    );
    const created = [...last.values()].filter((run) => !replaced.has(idOf(run)));
    const begun = created.filter((run) => idOf(run) !== run.id);
    if (created.length > 0) await this.runs.createDelayedRuns(tx, created, created.map(delayOf));
    if (begun.length > 0) await store.updateDebounced(tx, begun.map(toDebounced));
    for (const run of created) known.set(nameOf(run), run.id);
    const joined = delivered.filter((run) => idOf(run) !== run.id);
    if (joined.length > 0)
      await store.joinDeliveries(
        tx,
        joined.map((run) => ({ ...run, runId: idOf(run) })),
      );
  }
}

const nameOf = ({ subscriptionId, window }: DeliveredRun) => `${subscriptionId} ${window?.keyHash ?? ''}`;

const delayOf = ({ window }: DeliveredRun) => window?.windowMs ?? 0;

const toDebounced = ({ id: runId, subscriptionId, window }: DeliveredRun): store.DebouncedRun => ({
  subscriptionId,
  keyHash: window?.keyHash ?? '',
  runId,
  windowMs: window?.windowMs ?? 0,
});
