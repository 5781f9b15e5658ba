import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { SpaceTurns } from '../../infra/runtime/space-turns.ts';
import { TaskDirectoryService } from '../../tasks/definition/task-directory.service.ts';
import { RunCreationService, type EventRun } from '../../tasks/runs/run-creation.service.ts';
import { MAX_BATCH_BYTES } from '../subscriptions/batch.ts';
import { requestRunCount } from '../summary/event-counts.store.ts';
import { parseEventKey } from '../summary/event-key.ts';
import { joinDeliveries } from './debounced-runs.store.ts';
import * as store from './event-batches.store.ts';
import type { EventBatch } from './event-batches.store.ts';
import { batchOf, type DeliveredRun } from './matching.ts';

/** How many batches one transaction starts: each has at most 1 MB. */
const BATCH = 8;
/** How many batches of a space start before those of others that are due. */
const SHARE = 100;

/**
 * Events that subscriptions collect. Each joins the open batch of its key in the transaction that delivers it, and has the run that
 * the batch will start. That run is created when the batch is complete, or due.
 */
@Injectable()
export class EventBatchesService {
  private readonly turns = new SpaceTurns(SHARE);

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly tasks: TaskDirectoryService,
    private readonly runs: RunCreationService,
  ) {}

  /** Adds deliveries, which the transaction has stored with run ids of their own, to batches. */
  async collect(tx: EntityManager, delivered: readonly DeliveredRun[]): Promise<void> {
    const groups = Map.groupBy(delivered, nameOf);
    const first = [...groups.values()].flatMap(([run]) => (run ? [newBatch(run)] : []));
    const locked = new Map((await store.lockBatches(tx, first)).map((batch) => [nameOf(batch), batch]));
    const filled = [...groups].flatMap(([name, runs]) => fill(locked.get(name), runs));
    await store.updateBatches(
      tx,
      filled.filter(({ isLocked }) => isLocked).map(({ batch }) => batch),
    );
    const further = filled.filter(({ isLocked }) => !isLocked).map(({ batch }) => batch);
    if (further.length > 0) await store.insertBatches(tx, further);
    const events = filled.flatMap(({ batch: { runId }, runs }) => runs.map((run) => ({ ...run, runId })));
    await store.insertBatchedEvents(tx, events);
    await joinDeliveries(
      tx,
      events.filter(({ id, runId }) => id !== runId),
    );
  }

  /** Starts batches that are due, in turns of spaces. Returns how many. */
  async startDue(): Promise<number> {
    const { count, runIds } = await this.database.transaction((tx) => this.startWithin(tx));
    failpoint('events.batch.after-commit');
    await this.runs.publish(runIds);
    return count;
  }

  private async startWithin(tx: EntityManager): Promise<{ count: number; runIds: string[] }> {
    const due = await this.turns.take((served) => store.lockDueBatches(tx, served, BATCH));
    const runs: EventRun[] = [];
    for (const batch of due) {
      const run = await this.makeRun(tx, batch);
      if (run !== null) runs.push(run);
    }
    await this.runs.createEventRuns(tx, runs);
    failpoint('events.batch.after-runs');
    const ids = due.map(({ runId }) => runId);
    if (ids.length > 0) await store.deleteBatches(tx, ids);
    // Their ids were made when the first event came: those minutes may have been counted without them.
    await requestRunCount(
      tx,
      runs.flatMap(({ id, spaceId, path }) => {
        const key = parseEventKey(path.at(-1) ?? '');
        return key === null ? [] : [{ id, spaceId, ...key }];
      }),
    );
    failpoint('events.batch.before-commit');
    return { count: due.length, runIds: runs.map(({ id }) => id) };
  }

  /** Returns null if all of its events were erased. */
  private async makeRun(
    tx: EntityManager,
    { runId, spaceId, subscriptionId, taskId }: store.DueBatch,
  ): Promise<EventRun | null> {
    const envelopes = await store.listBatched(tx, runId);
    const task = (await this.tasks.find(tx, spaceId, [taskId])).get(taskId);
    const [first] = envelopes;
    if (first === undefined || task === undefined) return null;
    // The loop guard must see the longest chain.
    const deepest = envelopes.reduce((found, one) => (one.depth > found.depth ? one : found), first);
    const { id: envelopeId, rootId, depth, path } = deepest;
    const generation = await store.getBatchedGeneration(tx, envelopeId, runId);
    const { ownerUserId } = task;
    const ofRun = { id: runId, spaceId, taskId, ownerUserId, subscriptionId };
    return { ...ofRun, ...batchOf(task, deepest, envelopes), envelopeId, generation, rootId, depth, path };
  }
}

const nameOf = (of: DeliveredRun | Pick<EventBatch, 'subscriptionId' | 'keyHash'>) =>
  `${of.subscriptionId} ${'keyHash' in of ? of.keyHash : (of.batch?.keyHash ?? '')}`;

function newBatch({ id: runId, spaceId, subscriptionId, taskId, batch }: DeliveredRun): EventBatch {
  const { keyHash = '', windowMs = 0 } = batch ?? {};
  return { runId, spaceId, subscriptionId, taskId, keyHash, windowMs, eventCount: 0, bytes: 0, isOpen: true };
}

interface FilledBatch {
  batch: EventBatch;
  /** Whether it is stored. */
  isLocked: boolean;
  runs: DeliveredRun[];
}

/** Distributes events of a key among its open batch and as many further ones as they need. The last one stays open if it has room. */
function fill(
  open: Pick<EventBatch, 'runId' | 'eventCount' | 'bytes'> | undefined,
  runs: readonly DeliveredRun[],
): FilledBatch[] {
  const filled: FilledBatch[] = [];
  for (const run of runs) {
    const { maxItems = 1, bytes = 0 } = run.batch ?? {};
    const hasRoom = ({ batch }: FilledBatch) =>
      batch.eventCount < maxItems && (batch.eventCount === 0 || batch.bytes + bytes <= MAX_BATCH_BYTES);
    let last = filled.at(-1);
    if (last === undefined) {
      last = { batch: { ...newBatch(run), ...open }, isLocked: true, runs: [] };
      filled.push(last);
    }
    if (!hasRoom(last)) {
      last.batch.isOpen = false;
      last = { batch: newBatch(run), isLocked: false, runs: [] };
      filled.push(last);
    }
    last.runs.push(run);
    last.batch.eventCount += 1;
    // And a comma.
    last.batch.bytes += bytes + 1;
    last.batch.isOpen = last.batch.eventCount < maxItems;
  }
  return filled;
}
