import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { PollLoop } from '../../infra/runtime/poll-loop.ts';
import { listWaiting, RUNS_WAITING, type QueuePosition } from '../runs/run-queue.store.ts';
import { RunClaimsService } from './run-claims.service.ts';
import { RunPlaces, type TaskPlaces } from '../runs/run-places.ts';
import { RunWorker } from './run.worker.ts';

/** How often the queue is read without a hint: for lost hints, and slots that other processes have freed. */
const IDLE_MS = 1_000;
/** The same while the queue has more tasks of one owner than one look shows. */
const MORE_MS = 50;
/** How many runs one statement claims. */
const BATCH = 64;

const START: QueuePosition = { after: null, within: [] };

/** Whether runs were left behind, and whether another round may find more to claim. */
const newRound = () => ({ isLeft: false, isMoving: false });

/** Claims runs that wait, as long as the process has places for them. A hint makes it look now, whatever it names. */
@Injectable()
export class RunStarterWorker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(RunStarterWorker.name);
  private readonly loop = new PollLoop((isWoken) => this.fill(isWoken));
  private readonly places: RunPlaces;
  private position = START;
  /** What the looks since the beginning of the queue have found. */
  private round = newRound();
  /** Whether the last look left runs behind that may start when another one ends. */
  private isAnyLeft = false;

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly claims: RunClaimsService,
    private readonly worker: RunWorker,
  ) {
    this.places = new RunPlaces(config.runConcurrency);
  }

  onApplicationBootstrap(): void {
    if (!this.config.isWorker) return;
    this.messaging.consume('run', () => {
      this.loop.wake();
      return Promise.resolve();
    });
    this.messaging.onRecovery(() => this.loop.wake());
    this.loop.start();
  }

  onModuleDestroy(): void {
    void this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Starts runs while there are places for them. Returns the milliseconds until the next look. */
  private async fill(isWoken: boolean): Promise<number> {
    // While messaging is down, all work waits.
    if (this.messaging.getState() === 'down') return IDLE_MS;
    try {
      if (!isWoken && !(await this.database.hasRows(RUNS_WAITING))) return this.rest();
      // Whoever woke it may mean a run before the position.
      if (isWoken && this.position.within.length > 0) this.round.isMoving = true;
      return await this.sweep();
    } catch (error) {
      this.logger.warn({ err: error }, 'Runs could not be claimed; retrying');
      return IDLE_MS;
    }
  }

  private rest(): number {
    this.position = START;
    this.round = newRound();
    this.isAnyLeft = false;
    return IDLE_MS;
  }

  /**
   * Looks at all lanes, a page after the other, again and again as long as runs are claimed and more are left. A round is over
   * when the tasks of all owners were looked at, which can take several sweeps.
   */
  private async sweep(): Promise<number> {
    // A run that ends meanwhile may leave its place to one that was passed over.
    this.isAnyLeft = true;
    for (let isMoving = false; !this.loop.signal.aborted;) {
      const { tasks, isCounted, next } = await listWaiting(this.database, this.position);
      const claimed = await this.start(this.places.take(tasks, BATCH));
      const isLeft = !isCounted || claimed < tasks.reduce((sum, { waiting }) => sum + waiting, 0);
      isMoving ||= isLeft && claimed > 0;
      this.round.isLeft ||= isLeft;
      this.round.isMoving ||= isMoving;
      this.position = next;
      if (next.after !== null) continue;
      if (next.within.length > 0) {
        if (!isMoving) return MORE_MS;
      } else {
        const over = this.round;
        this.round = newRound();
        if (!over.isMoving) {
          this.isAnyLeft = over.isLeft;
          return IDLE_MS;
        }
      }
      isMoving = false;
    }
    return IDLE_MS;
  }

  /** Claims runs for places, and returns how many. */
  private async start(taken: readonly TaskPlaces[]): Promise<number> {
    if (taken.length === 0) return 0;
    const wanted = taken.map(({ taskId, places }) => ({ taskId, count: places.length }));
    const free = new Map(taken.map(({ taskId, places }) => [taskId, places]));
    try {
      const claimed = await this.claims.claim(wanted);
      const runs = claimed.map(async (active) => {
        const leave = free.get(active.run.taskId)?.pop();
        await this.worker.run(active);
        leave?.();
        // Another run may have its place, or that of its key.
        if (this.isAnyLeft || active.run.concurrencyKey !== null) this.loop.wake();
      });
      // A process that ends gives them back.
      if (this.loop.signal.aborted) await Promise.all(runs);
      return claimed.length;
    } finally {
      for (const places of free.values()) for (const leave of places) leave();
    }
  }
}
