import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import type { BulkBatch } from '../../infra/bulk/bulk.worker.ts';
import { hasBulkProgress, lockBulkWork, storeBulkProgress } from '../../infra/bulk/bulk-work.store.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { joinProblems } from '../../infra/errors/error-message.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { BULK_REPLAYS, type ClaimedBulkReplay } from './bulk-replays.store.ts';
import { requestCount } from '../summary/event-counts.store.ts';
import { loadForReplay } from '../records/envelopes.store.ts';
import { ReplayChecksService } from './replay-checks.service.ts';
import { limitOf, ReplayLimitsService } from './replay-limits.service.ts';
import { ReplaySelectionService } from './replay-selection.service.ts';
import { insertReplays, lockReplayable } from './replays.store.ts';

/** The payloads that one batch validates. */
const BATCH_BYTES = 4 * 1024 * 1024;

export interface ReplayedBatch extends BulkBatch {
  /** The envelopes that wait to be dispatched. */
  replayed: string[];
}

/** One batch after another of a bulk replay, each in one transaction with the progress. */
@Injectable()
export class BulkReplayBatchesService {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly selection: ReplaySelectionService,
    private readonly checks: ReplayChecksService,
    private readonly limits: ReplayLimitsService,
  ) {}

  /**
   * Replays the next envelopes after the position. Returns null if the bulk replay was stopped, or continued by another
   * worker. The progress is stored with the replays, so no envelope is replayed twice, whoever repeats the batch.
   */
  async replayNext(replay: ClaimedBulkReplay, size: number): Promise<ReplayedBatch | null> {
    const { spaceId, query, position: start } = replay;
    const { found, scannedTo } = await this.selection.findNext(this.database.manager, spaceId, query, {
      until: replay.createdAt,
      start,
      limit: size + 1,
    });
    const wanted = found.slice(0, size);
    const envelopes = await loadForReplay(this.database.manager, spaceId, wanted, BATCH_BYTES);
    // An envelope can be gone since it was found.
    const isWhole = envelopes.length === 0 || envelopes.at(-1)?.id === wanted.at(-1)?.id;
    const hasMore = !isWhole || found.length > size || scannedTo !== null;
    const reached = isWhole ? (wanted.at(-1)?.id ?? null) : (envelopes.at(-1)?.id ?? null);
    const position = isWhole && found.length <= size ? (scannedTo ?? reached) : reached;

    const refusals = new Map(
      (await this.checks.check(this.database, envelopes)).map(({ id, problems }) => [id, problems]),
    );
    const accepted = envelopes.filter(({ id }) => !refusals.has(id)).map(({ id }) => id);
    const store = async (tx: EntityManager): Promise<ReplayedBatch | null> => {
      if (!(await lockBulkWork(tx, BULK_REPLAYS, replay))) return null;
      const replayed = await this.begin(tx, replay, accepted);
      failpoint('events.bulk-replay.before-commit', replay.id);
      const isComplete = !hasMore;
      const progress = {
        done: replayed.length,
        refused: envelopes.length - replayed.length,
        lastError: lastErrorOf(envelopes, refusals, new Set(replayed)),
      };
      await storeBulkProgress(tx, BULK_REPLAYS, replay.id, { ...progress, position, isComplete });
      return { replayed, handled: envelopes.length, position: position ?? start, isComplete };
    };
    // Otherwise a lost response would look as if another worker had continued, and all would wait for the lease to end.
    return this.database.transaction(store, {
      committed: async (batch) =>
        batch === null || hasBulkProgress(this.database, BULK_REPLAYS, replay.id, batch),
    });
  }

  /** Returns the envelopes whose next generation has begun: not those that are being dispatched, or have changed since they were found. */
  private async begin(
    tx: EntityManager,
    { id, spaceId, requestedBy, query }: ClaimedBulkReplay,
    envelopeIds: readonly string[],
  ): Promise<string[]> {
    if (envelopeIds.length === 0) return [];
    const locked = await lockReplayable(tx, spaceId, envelopeIds, query.status ?? null);
    const limit = limitOf(query);
    const targets = await this.limits.resolve(tx, spaceId, locked, limit);
    const { republishAfterMs } = this.messaging.pace;
    const order = {
      spaceId,
      requestedBy,
      bulkReplayId: id,
      requestKey: null,
      republishAfterMs,
      limit,
      chain: null,
    };
    const begun = await insertReplays(tx, order, targets);
    await requestCount(tx, spaceId, begun);
    return begun.map((one) => one.id);
  }
}

/** Why the last of the envelopes that were not replayed was refused. */
function lastErrorOf(
  envelopes: readonly { id: string }[],
  refusals: ReadonlyMap<string, string[]>,
  replayed: ReadonlySet<string>,
): string | null {
  const last = envelopes.findLast(({ id }) => !replayed.has(id));
  if (last === undefined) return null;
  const problems = refusals.get(last.id) ?? ['it has changed meanwhile'];
  return `Envelope ${last.id}: ${joinProblems(problems)}`;
}
