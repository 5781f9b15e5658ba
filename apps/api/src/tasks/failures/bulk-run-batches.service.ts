import { Injectable } from '@nestjs/common';
import type { RunStatus } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import type { BulkBatch } from '../../infra/bulk/bulk.worker.ts';
import {
  failBulkWork,
  hasBulkProgress,
  lockBulkWork,
  storeBulkProgress,
} from '../../infra/bulk/bulk-work.store.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { mayManage } from '../definition/task-access.ts';
import { RunsService } from '../history/runs.service.ts';
import {
  BULK_RUN_ACTIONS_TABLE as TABLE,
  dismissRuns,
  listSelected,
  type ClaimedBulkRunAction,
  type SelectedRun,
} from './bulk-run-actions.store.ts';
import { RunSelectionService } from './run-selection.service.ts';

/** How many batches are found by one search, which may have looked at many runs. */
const BATCHES_PER_SEARCH = 20;

export interface RunBatch extends BulkBatch {
  /** The runs that were queued again. */
  queued: string[];
  /** The runs whose cancellation was requested while they were running. */
  requested: string[];
}

/** What became of the runs of a batch. */
interface Outcome {
  changed: string[];
  /** The reasons, by the id of the run. */
  refused: Map<string, string>;
  queued: string[];
  requested: string[];
}

/** What a search has found and no batch has handled. */
interface Found {
  ids: string[];
  /** How far the search came if it ended early. */
  scannedTo: string | null;
  isLast: boolean;
}

/** One batch after another of a bulk action, each in one transaction with the progress. */
@Injectable()
export class BulkRunBatchesService {
  private readonly found = new WeakMap<ClaimedBulkRunAction, Found>();

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly identity: IdentityService,
    private readonly selection: RunSelectionService,
    private readonly runs: RunsService,
  ) {}

  /**
   * Handles the next runs after the position. Returns null if the action was stopped, continued by another worker, or may
   * not continue. The progress is stored with the changes, so no run is attempted again twice, whoever repeats the batch.
   */
  async handleNext(work: ClaimedBulkRunAction, size: number): Promise<RunBatch | null> {
    const { spaceId, requestedBy, position: start } = work;
    // With the rights that the person has now.
    const caller = await this.identity.findPrincipal(spaceId, requestedBy);
    if (caller === null) {
      await failBulkWork(this.database, TABLE, work.id, 'The person who requested it has left the space');
      return null;
    }
    const found = this.found.get(work) ?? (await this.findNext(work, caller, size));
    const ids = found.ids.slice(0, size);
    const rest = { ...found, ids: found.ids.slice(size) };
    const hasMore = rest.ids.length > 0;
    const position = (hasMore ? null : found.scannedTo) ?? ids.at(-1) ?? null;
    const isComplete = !hasMore && found.isLast;
    const store = async (tx: EntityManager): Promise<RunBatch | null> => {
      if (!(await lockBulkWork(tx, TABLE, work))) return null;
      const { changed, refused, queued, requested } = await this.change(tx, work, caller, ids);
      failpoint('runs.bulk.before-commit', work.id);
      const [last] = [...refused].slice(-1);
      await storeBulkProgress(tx, TABLE, work.id, {
        position,
        done: changed.length,
        refused: refused.size,
        lastError: last === undefined ? null : `Run ${last[0]}: ${last[1]}`,
        isComplete,
      });
      return { queued, requested, handled: ids.length, position: position ?? start, isComplete };
    };
    const batch = await this.database.transaction(store, {
      committed: async (stored) => stored === null || hasBulkProgress(this.database, TABLE, work.id, stored),
    });
    if (hasMore) this.found.set(work, rest);
    else this.found.delete(work);
    return batch;
  }

  private async findNext(
    { query, createdAt, position: after }: ClaimedBulkRunAction,
    caller: UserPrincipal,
    size: number,
  ): Promise<Found> {
    const limit = size * BATCHES_PER_SEARCH + 1;
    const scan = { after, order: 'asc', limit } as const;
    const { ids, scannedTo } = await this.selection.findNext(caller, query, createdAt, scan);
    return {
      ids: ids.slice(0, limit - 1),
      scannedTo: ids.length === limit ? null : scannedTo,
      isLast: ids.length < limit && scannedTo === null,
    };
  }

  private async change(
    tx: EntityManager,
    { query: { action }, spaceId }: ClaimedBulkRunAction,
    caller: UserPrincipal,
    ids: readonly string[],
  ): Promise<Outcome> {
    const outcome: Outcome = { changed: [], refused: new Map(), queued: [], requested: [] };
    const selected = await listSelected(tx, spaceId, ids);
    const own = selected.filter((run) => mayManage(caller, run));
    for (const { id } of selected)
      if (!own.some((run) => run.id === id)) outcome.refused.set(id, 'it has another owner');
    switch (action) {
      case 'retry':
        await this.retry(tx, caller, own, outcome);
        break;
      case 'cancel':
        await this.cancel(tx, own, outcome);
        break;
      case 'dismiss': {
        const wanted = own.map(({ id }) => id);
        outcome.changed.push(...(await dismissRuns(tx, wanted, caller.userId)));
        const changed = new Set(outcome.changed);
        for (const { id, status } of own)
          if (!changed.has(id)) outcome.refused.set(id, changedMeanwhile(status));
        break;
      }
    }
    return outcome;
  }

  private async retry(
    tx: EntityManager,
    caller: UserPrincipal,
    selected: readonly SelectedRun[],
    { changed, refused, queued }: Outcome,
  ): Promise<void> {
    for (const run of selected) {
      try {
        if (await this.runs.retryWithin(tx, caller, run)) queued.push(run.id);
        else refused.set(run.id, changedMeanwhile(run.status));
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error;
        refused.set(run.id, error.message);
      }
    }
    changed.push(...queued);
    await this.runs.countAgain(tx, caller.spaceId, queued);
  }

  private async cancel(
    tx: EntityManager,
    selected: readonly SelectedRun[],
    { changed, refused, requested }: Outcome,
  ): Promise<void> {
    for (const { id, status } of selected) {
      const cancelled = await this.runs.cancelWithin(tx, id);
      if (cancelled === null) refused.set(id, changedMeanwhile(status));
      else changed.push(id);
      if (cancelled === 'REQUESTED') requested.push(id);
    }
  }
}

const changedMeanwhile = (status: RunStatus) => `it is ${status}, has changed meanwhile, or was erased`;
