import { Injectable } from '@nestjs/common';
import type { RunOrigin, TriggerListing } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import type { Chain } from './lineage.ts';
import { delayRuns, insertRuns, replaceWaitingRuns } from './run-queue.store.ts';
import { retryRun } from './runs.store.ts';

const MAX_HINTS = 4;

/** A run that an event starts. */
export interface EventRun {
  /** Time-ordered: the table is partitioned by it. */
  id: string;
  spaceId: string;
  taskId: string;
  ownerUserId: string;
  trigger: TriggerListing;
  /** As JSON; null: it is read from the envelope. */
  payload: string | null;
  /** A hash of the value of its key, as hexadecimal digits, if its task has one. */
  concurrencyKey?: string | null;
  envelopeId: string;
  generation: number;
  subscriptionId: string;
  /** The first emission of the chain of events that led here. */
  rootId: string;
  depth: number;
  /** The events of the chain, as the loop guard compares them. */
  path: string[];
}

/** A run that a person or a schedule starts. */
export interface ManualRun {
  /** Default: a new id. */
  id?: string;
  spaceId: string;
  taskId: string;
  ownerUserId: string;
  origin: Exclude<RunOrigin, 'EVENT'>;
  inputs: Record<string, unknown>;
  /** Below the run that called to start this one. */
  chain?: (Chain & { rootId: string | null }) | null;
}

/** Starts the runs of one transaction in this process, as far as it has places for them. */
export interface RunStart {
  /** Claims runs that were just queued: the last statement of the transaction. Without places, it does nothing. */
  claim(tx: EntityManager, runs: readonly EventRun[]): Promise<unknown>;
  /** Executes what was claimed, after the commit, or gives it back if the process ends. Returns the ids. */
  execute(): Promise<ReadonlySet<string>>;
  /** The transaction has failed, or it is not known whether it has. */
  fail(error: unknown): void;
}

/** Starts runs in this process. */
export interface RunStarter {
  openStart(): RunStart;
}

const NO_START: RunStart = {
  claim: () => Promise.resolve(),
  execute: () => Promise.resolve(new Set()),
  fail: () => undefined,
};

/** Queues runs in the transaction of the caller, who publishes their ids after the commit. */
@Injectable()
export class RunCreationService {
  private starter: RunStarter | null = null;
  private urgentWork = (): Promise<void> => Promise.resolve();

  constructor(private readonly messaging: Messaging) {}

  /** Registers what starts runs in this process. Without it, they wait for another one. */
  useStarter(starter: RunStarter): void {
    this.starter = starter;
  }

  openStart(): RunStart {
    return this.starter?.openStart() ?? NO_START;
  }

  /** Registers short work that goes before runs that wait. `isDone` resolves when they may begin, and never rejects. */
  registerUrgentWork(isDone: () => Promise<void>): void {
    this.urgentWork = isDone;
  }

  /** Resolves when runs that wait may begin. */
  giveWay(): Promise<void> {
    return this.urgentWork();
  }

  async createEventRuns(tx: EntityManager, runs: readonly EventRun[]): Promise<void> {
    if (runs.length === 0) return;
    const queued = runs.map((run) => ({ ...run, origin: 'EVENT' as const, inputs: {} }));
    await insertRuns(tx, queued);
  }

  /** Queues runs that begin later. */
  async createDelayedRuns(
    tx: EntityManager,
    runs: readonly EventRun[],
    delaysMs: readonly number[],
  ): Promise<void> {
    await this.createEventRuns(tx, runs);
    const ids = runs.map(({ id }) => id);
    await delayRuns(tx, ids, delaysMs);
  }

  /**
   * Lets the runs with these ids, if they have not begun, be of later events and begin later. Returns the ids of those. A run of
   * another task or event is not changed.
   */
  replaceEventRuns(
    tx: EntityManager,
    runs: readonly EventRun[],
    delaysMs: readonly number[],
  ): Promise<string[]> {
    const queued = runs.map((run) => ({ ...run, origin: 'EVENT' as const, inputs: {} }));
    return replaceWaitingRuns(tx, queued, delaysMs);
  }

  /** Returns the id of the run. */
  async createManualRun(tx: EntityManager, { id = uuidV7(), chain, ...run }: ManualRun): Promise<string> {
    await insertRuns(tx, [{ ...run, ...chain, id }]);
    return id;
  }

  /**
   * Queues a run for the attempt after `attempt`, with a version of its task; null: the one that is current when it begins.
   * Returns false if it waits, runs, or has succeeded.
   */
  retry(tx: EntityManager, id: string, attempt: number, version: number | null): Promise<boolean> {
    return retryRun(tx, id, attempt, version);
  }

  /** Lets workers look for runs that wait. Never rejects: without hints, they look once per second. */
  async publish(ids: readonly string[]): Promise<void> {
    // A hint leads to all runs that wait; a few of them reach several processes.
    await this.messaging.publish('run', ids.slice(0, MAX_HINTS));
  }
}
