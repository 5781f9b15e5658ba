import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { pipelined, pipelinedLast } from '../../infra/database/rows.ts';
import { eventsDispatched } from '../../infra/metrics/measures.ts';
import { inPortions } from '../../infra/runtime/in-portions.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { RunCreationService, type RunStart } from '../../tasks/runs/run-creation.service.ts';
import { TaskDirectoryService } from '../../tasks/definition/task-directory.service.ts';
import * as store from './dispatch.store.ts';
import { DebouncedRunsService } from './debounced-runs.service.ts';
import { EventBatchesService } from './event-batches.service.ts';
import { eventFailpoint, type EventFailpoint } from '../records/event-failpoints.ts';
import {
  matchEnvelope,
  parsePayloads,
  runsOf,
  matchUpTo,
  triggerOf,
  type Envelope,
  type Matching,
} from './matching.ts';
import { deleteClaims, type Claim } from '../records/outbox.store.ts';
import { EventWaitsService, type DispatchedEvent } from '../waits/event-waits.service.ts';
import { tryShareSubscriptions } from '../catalog/subscription-lock.store.ts';

/** How many verdicts are stored with an envelope. */
export const STORED_VERDICTS = 200;
/** How many one statement stores. */
const STATEMENT_RUNS = 500;

/** What one transaction has left: claims for another one, all of them if the subscriptions of the space were locked. */
export interface Dispatched {
  left: Claim[];
  isLocked: boolean;
}

interface Made extends Dispatched {
  runIds: string[];
  areWaitsEnded: boolean;
  /** How many envelopes matched a subscription, how many did not, and how many cannot be read. */
  outcomes: { matched: number; unmatched: number; failed: number };
}

const NONE = { matched: 0, unmatched: 0, failed: 0 };

/** Dispatches claimed envelopes of one space: one transaction, without any effect outside of the database. */
@Injectable()
export class DispatchService {
  constructor(
    private readonly database: BackgroundDatabase,
    private readonly tasks: TaskDirectoryService,
    private readonly runs: RunCreationService,
    private readonly debounced: DebouncedRunsService,
    private readonly waits: EventWaitsService,
    private readonly batches: EventBatchesService,
  ) {}

  /**
   * Dispatches the first of them in one transaction, with at most `maxRuns` runs, but at least one envelope. Nobody waits for
   * the subscriptions of a space.
   */
  async dispatch(spaceId: string, claims: readonly Claim[], maxRuns: number): Promise<Dispatched> {
    const start = this.runs.openStart();
    let made: Made;
    try {
      made = await this.database.transaction((tx) =>
        this.dispatchWithin(tx, spaceId, claims, maxRuns, start),
      );
    } catch (error) {
      start.fail(error);
      throw error;
    }
    const { runIds, areWaitsEnded, outcomes, ...dispatched } = made;
    if (dispatched.isLocked) return dispatched;
    reach('events.dispatch.after-commit', claims);
    for (const [outcome, count] of Object.entries(outcomes)) eventsDispatched.inc({ outcome }, count);
    if (areWaitsEnded) this.waits.wake();
    const started = await start.execute();
    await this.runs.publish(runIds.filter((id) => !started.has(id)));
    reach('events.dispatch.after-publish', claims);
    return dispatched;
  }

  private async dispatchWithin(
    tx: EntityManager,
    spaceId: string,
    claims: readonly Claim[],
    maxRuns: number,
    start: RunStart,
  ): Promise<Made> {
    const [isShared, { held, envelopes }, subscriptions, waited] = await pipelined(
      tryShareSubscriptions(tx, spaceId),
      store.lockClaims(tx, claims),
      store.listSubscriptions(tx, claims),
      this.waits.listFields(tx, spaceId),
    );
    if (!isShared) return { left: held, isLocked: true, runIds: [], areWaitsEnded: false, outcomes: NONE };
    reach('events.dispatch.after-lock', held);

    const { readable, unreadable } = parsePayloads(envelopes);
    const fitting = matchUpTo(maxRuns, readable, await this.matcherOf(tx, spaceId, subscriptions));
    const { ended, complete } =
      waited.length > 0
        ? await this.waits.end(tx, waited, fitting.map(toWaitedEvent))
        : { ended: 0, complete: fitting.length };
    const areWaitsEnded = ended > 0;
    // An envelope whose waits are not all ended is left: the next transaction goes on with them.
    const matchings = fitting.slice(0, complete);
    const left = new Set(readable.slice(matchings.length).map(({ id }) => id));
    // A claim without an envelope belongs to one that has expired, or is no longer PENDING.
    const settled = held.filter(({ envelopeId }) => !left.has(envelopeId));
    reach('events.dispatch.after-match', settled);

    const delivered = runsOf(matchings);
    const waiting = delivered.filter(({ window }) => window !== null);
    const collected = delivered.filter(({ batch }) => batch !== null);
    const runs = delivered.filter(({ window, batch }) => window === null && batch === null);
    const made = matchings.flatMap(({ deliveries }) => deliveries);
    const stored = store.insertDeliveries(tx, made);
    // What few events need waits for them; otherwise, all statements are sent together.
    if (waiting.length + collected.length > 0) await stored;
    if (waiting.length > 0) await this.debounced.store(tx, waiting);
    if (collected.length > 0) await this.batches.collect(tx, collected);
    const dispatched = matchings.map(({ envelope: { id, generation }, verdicts, deliveries }) => ({
      id,
      generation,
      matchedCount: deliveries.length,
      missedCount: deliveries.filter(({ runId }) => runId === null).length,
      verdicts: verdicts.slice(0, STORED_VERDICTS),
    }));
    const matched = dispatched.filter(({ matchedCount }) => matchedCount > 0).length;
    for (const { id, generation, error } of unreadable)
      await store.markFailed(tx, { envelopeId: id, generation }, 'PAYLOAD_UNREADABLE', error);
    reach('events.dispatch.before-commit', settled);
    await pipelinedLast(
      tx,
      stored,
      store.clearFailed(tx, made),
      ...inPortions(runs, STATEMENT_RUNS).map((portion) => this.runs.createEventRuns(tx, portion)),
      store.markDispatched(tx, dispatched),
      deleteClaims(tx, settled),
      start.claim(tx, runs),
    );
    return {
      left: held.filter(({ envelopeId }) => left.has(envelopeId)),
      isLocked: false,
      runIds: runs.map(({ id }) => id),
      areWaitsEnded,
      outcomes: { matched, unmatched: dispatched.length - matched, failed: unreadable.length },
    };
  }

  /** Reads the tasks of subscriptions. */
  private async matcherOf(
    tx: EntityManager,
    spaceId: string,
    subscriptions: readonly store.MatchedSubscription[],
  ): Promise<(envelope: Envelope) => Matching> {
    const ids = [...new Set(subscriptions.map(({ taskId }) => taskId))];
    const tasks = await this.tasks.find(tx, spaceId, ids);
    const byEvent = Map.groupBy(subscriptions, eventKey);
    return (envelope) => matchEnvelope(envelope, byEvent.get(eventKey(envelope)) ?? [], tasks, uuidV7);
  }
}

/** With the trigger that a run of the event would have. */
function toWaitedEvent({ envelope }: Matching): DispatchedEvent {
  const { event, ...trigger } = triggerOf(envelope);
  return { ...envelope, trigger: { event, payload: envelope.payload, ...trigger } };
}

function eventKey({ applicationId, event }: { applicationId: string; event: string }): string {
  return `${applicationId}/${event}`;
}

function reach(name: EventFailpoint, claims: readonly Claim[]): void {
  for (const { envelopeId } of claims) eventFailpoint(name, envelopeId);
}
