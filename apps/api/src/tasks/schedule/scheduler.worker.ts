import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { readTime } from '../../infra/database/rows.ts';
import { PollLoop } from '../../infra/runtime/poll-loop.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { RunCreationService } from '../runs/run-creation.service.ts';
import { RunEntity } from '../runs/run.entity.ts';
import { findDue, type Due } from '../definition/schedule.ts';
import {
  catchUpWaiting,
  insertScheduledRun,
  lockDueTasks,
  purgeScheduledRuns,
  TASKS_DUE,
  updateNextDue,
} from './schedules.store.ts';
import type { TaskEntity } from '../definition/task.entity.ts';

const POLL_MS = 1_000;
/** How many tasks one transaction starts. */
const BATCH = 20;
/** How long the due times of a task are remembered. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Creates the runs of tasks whose schedule is due, in every process that runs jobs. */
@Injectable()
export class SchedulerWorker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(SchedulerWorker.name);
  private readonly loop = new PollLoop(() => this.poll());

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly runs: RunCreationService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.loop.start();
  }

  onModuleDestroy(): void {
    void this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Returns the milliseconds until the next poll. */
  private async poll(): Promise<number> {
    try {
      if (!(await this.database.hasRows(TASKS_DUE))) return POLL_MS;
      return (await this.startDue()) < BATCH ? POLL_MS : 0;
    } catch (error) {
      this.logger.warn({ err: error }, 'Scheduled runs could not be created; retrying');
      return POLL_MS;
    }
  }

  /** Creates the runs of the tasks that are due longest. Returns how many tasks were due. */
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
    const tasks = await lockDueTasks(tx, now, BATCH);
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
    const waiting = await catchUpWaiting(tx, task.id, dueAt, missed);
    const runId = waiting ?? uuidV7();
    // The time may have a run already, if the schedule was changed to an earlier time and back.
    if (!(await insertScheduledRun(tx, { taskId: task.id, dueAt, runId, missed }))) return null;
    await purgeScheduledRuns(tx, task.id, new Date(now.getTime() - KEPT_MS));
    if (waiting !== null) return null;
    const { spaceId, id: taskId, ownerUserId } = task;
    const inputs = { schedule: { dueAt: dueAt.toISOString(), missed } };
    return this.runs.createManualRun(tx, {
      id: runId,
      spaceId,
      taskId,
      ownerUserId,
      origin: 'SCHEDULE',
      inputs,
    });
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
