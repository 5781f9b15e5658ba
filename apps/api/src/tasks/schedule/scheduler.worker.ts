import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { readTime } from '../../infra/database/rows.ts';
import { SpaceTurns } from '../../infra/runtime/space-turns.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { RunEntity } from '../runs/run.entity.ts';
import { cancelRuns } from '../waits/cancellations.store.ts';
import { DEFAULT_OVERLAP, findDue, type Due } from '../definition/schedule.ts';
import {
  catchUpWaiting,
  findUnfinished,
  holdRun,
  insertScheduledRun,
  listHeld,
  lockDueTasks,
  purgeScheduledRuns,
  releaseHeld,
  RUNS_HELD,
  TASKS_DUE,
  updateNextDue,
  type HeldRun,
} from './schedules.store.ts';
import type { TaskEntity } from '../definition/task.entity.ts';

const POLL_MS = 1_000;
/** How many tasks one transaction starts. */
const BATCH = 20;
/** How many tasks of a space start before those of others that are due. */
const SHARE = 40;
/** How many runs that wait for others are looked at once. */
const HELD = 5_000;
/** How long the due times of a task are remembered. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Creates the runs of tasks whose schedule is due, in every process that runs jobs. */
@Injectable()
export class SchedulerWorker extends PollWorker {
  /** Where the next look at runs that wait for others goes on. */
  private heldAfter: HeldRun | null = null;
  private readonly turns = new SpaceTurns(SHARE);

  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly runs: RunCreationService,
  ) {
    super(config, { failure: 'Scheduled runs could not be created', retryMs: POLL_MS });
  }

  protected async poll(): Promise<number> {
    if (await this.database.hasRows(RUNS_HELD)) await this.releaseHeld();
    if (!(await this.database.hasRows(TASKS_DUE))) return POLL_MS;
    return (await this.startDue()) > 0 ? 0 : POLL_MS;
  }

  /** Creates the runs of the tasks that are due longest, in turns of spaces. Returns how many tasks were due. */
  async startDue(): Promise<number> {
    const { created, count } = await this.database.transaction((tx) => this.startTasks(tx), {
      committed: async ({ created: [id] }) =>
        id === undefined || this.database.manager.existsBy(RunEntity, { id }),
    });
    await this.runs.publish(created);
    return count;
  }

  private async startTasks(tx: EntityManager): Promise<{ created: string[]; count: number }> {
    const now = await readTime(tx);
    const tasks = await this.turns.take((served) => lockDueTasks(tx, now, served, BATCH));
    const created: string[] = [];
    for (const task of tasks) {
      const runId = await this.startTask(tx, task, now);
      if (runId !== null) created.push(runId);
    }
    return { created, count: tasks.length };
  }

  /** Returns the id of the run that catches up with all due times of the task, or null if there is none. */
  private async startTask(tx: EntityManager, task: TaskEntity, now: Date): Promise<string | null> {
    const due = this.findDue(task, now);
    await updateNextDue(tx, task, due?.next ?? null);
    if (due === null) return null;
    const { dueAt, missed } = due;
    const overlap = task.schedule?.overlap ?? DEFAULT_OVERLAP;
    // A run that waits stands for later times as well, whatever the schedule allows: runs do not pile up.
    const joined = overlap === 'skip' ? null : await catchUpWaiting(tx, task.id, dueAt, missed);
    const last = joined === null && overlap !== 'allow' ? await findUnfinished(tx, task.id) : null;
    const skippedFor = overlap === 'skip' ? last : null;
    const waitsFor = overlap === 'skip' ? null : last;
    const runId = joined ?? skippedFor ?? uuidV7();
    const outcome = joined !== null ? 'JOINED' : skippedFor !== null ? 'SKIPPED' : 'STARTED';
    // The time may have a run already, if the schedule was changed to an earlier time and back.
    if (!(await insertScheduledRun(tx, { taskId: task.id, dueAt, runId, missed, outcome, waitsFor })))
      return null;
    await purgeScheduledRuns(tx, task.id, new Date(now.getTime() - KEPT_MS));
    if (outcome !== 'STARTED') return null;
    const { spaceId, id: taskId, ownerUserId } = task;
    const inputs = { schedule: { dueAt: dueAt.toISOString(), missed } };
    const run = { id: runId, spaceId, taskId, ownerUserId, origin: 'SCHEDULE' as const, inputs };
    await this.runs.createManualRun(tx, run);
    if (waitsFor !== null) await holdRun(tx, runId);
    return runId;
  }

  /**
   * Lets runs begin whose predecessors have ended, and cancels predecessors that are to be replaced. One page per call: a run can wait
   * for days. Returns how many there were.
   */
  async releaseHeld(): Promise<number> {
    const held = await listHeld(this.database, this.heldAfter, HELD);
    this.heldAfter = held.length < HELD ? null : (held.at(-1) ?? null);
    const freed = held.filter(({ isFree }) => isFree);
    if (freed.length > 0) await releaseHeld(this.database, freed);
    for (const run of held) if (!run.isFree && run.isReplaced) await this.cancelRun(run.waitsFor);
    await this.runs.publish(freed.map(({ runId }) => runId));
    return held.length;
  }

  /** In the same way as a person. What has changed in between is cancelled by the next call. */
  private async cancelRun(id: string): Promise<void> {
    await this.database.transaction((tx) => cancelRuns(tx, [id]));
  }

  /** Returns null for a schedule that can no longer be read, so that it does not keep the others from running. */
  private findDue({ id, schedule, nextDueAt }: TaskEntity, now: Date): Due | null {
    if (schedule === null || nextDueAt === null) return null;
    try {
      return findDue(schedule, nextDueAt, now);
    } catch (error) {
      this.logger.error(
        { err: error, task: id },
        'The schedule of a task cannot be read; it is not due any more',
      );
      return null;
    }
  }
}
