import { Injectable, Logger } from '@nestjs/common';
import { Batched } from '../../infra/database/batched.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { listNext, makeDue } from '../runs/run-queue.store.ts';

/** The longest that a process waits to publish a run that is attempted again; other processes poll for it. */
const MAX_TIMER_MS = 60_000;

/** Starts waiting runs when there is room for them, without a poll. */
@Injectable()
export class RunWakeupsService {
  private readonly logger = new Logger(RunWakeupsService.name);
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly wakes = new Batched<string, string[]>((taskIds) => listNext(this.database, taskIds));
  private stopping = false;

  constructor(
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
  ) {}

  /**
   * Publishes the run of a task that is next, after one has ended. Reads the queue after that commit: a run that was
   * queued before it may have found no slot, and a later one has a hint of its own.
   */
  async wake(taskId: string): Promise<void> {
    try {
      const ids = await this.wakes.get(taskId);
      if (ids.length === 0) return;
      await this.messaging.publish('run', ids);
      // A process that stops consumes no more hints of its own, so the others have to find the rows.
      if (this.stopping) await makeDue(this.database, ids);
    } catch (error) {
      this.logger.warn({ err: error, task: taskId }, 'The next run of a task waits to be published again');
    }
  }

  /** Publishes a run after a time. */
  wakeAfter(runId: string, delayMs: number): void {
    if (this.stopping || delayMs > MAX_TIMER_MS) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.messaging.publish('run', [runId]);
    }, delayMs);
    this.timers.add(timer.unref());
  }

  stop(): void {
    this.stopping = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}
