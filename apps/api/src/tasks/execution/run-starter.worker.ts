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
import { isUnavailable } from '../../infra/database/unavailable.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { PollLoop } from '../../infra/runtime/poll-loop.ts';
import {
  RunCreationService,
  type EventRun,
  type RunStart,
  type RunStarter,
} from '../runs/run-creation.service.ts';
import { listWaiting, RUNS_WAITING, type QueuePosition, type WaitingTask } from '../runs/run-queue.store.ts';
import type { ActiveRun } from './active-run.ts';
import { RunClaimsService, type OpenClaim } from './run-claims.service.ts';
import type { WantedRuns } from './run-claims.store.ts';
import { RunPlaces, type TaskPlaces } from './run-places.ts';
import { RunWorker } from './run.worker.ts';

/** How often the queue is read without a hint: for lost hints, and slots that other processes have freed. */
const IDLE_MS = 1_000;
/** The same while the queue has more tasks of one owner than one look shows. */
const MORE_MS = 50;
/** How many runs one statement claims. */
const BATCH = 64;
/** A run with so many bytes of inputs, or a multiple, takes as many places more: places are what bounds the memory. */
const PLACE_BYTES = 1024 * 1024;

const START: QueuePosition = { after: null, within: [] };

/** The spaces of which runs were left behind, and whether another round may find more to claim. */
const newRound = () => ({ behind: new Set<string>(), isMoving: false });

/** Claims runs that wait, as long as the process has places for them. A hint makes it look now, whatever it names. */
@Injectable()
export class RunStarterWorker
  implements RunStarter, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly logger = new Logger(RunStarterWorker.name);
  private readonly loop = new PollLoop((isWoken) => this.look(isWoken));
  private readonly places: RunPlaces;
  private position = START;
  /** What the looks since the beginning of the queue have found. */
  private round = newRound();
  /** Whether the last look left runs behind that may start when another one ends. */
  private isAnyLeft = false;
  /** Of which spaces the last round left runs behind. */
  private behind: ReadonlySet<string> = new Set();

  constructor(
    private readonly config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly claims: RunClaimsService,
    private readonly worker: RunWorker,
    private readonly creation: RunCreationService,
  ) {
    this.places = new RunPlaces(config.runConcurrency);
  }

  onApplicationBootstrap(): void {
    if (!this.config.isWorker) return;
    this.creation.useStarter(this);
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

  openStart(): RunStart {
    return new DirectStart(
      (waiting) => this.places.take(this.startable(waiting), BATCH),
      this.claims,
      (runs, taken) => this.begin(runs, taken),
    );
  }

  /** Of the runs that are just being queued, those that may be claimed: none of their space wait that would come first. */
  private startable(runs: readonly WaitingTask[]): WaitingTask[] {
    if (this.loop.signal.aborted || this.messaging.getState() === 'down') return [];
    const { behind, round, position } = this;
    const unseen = new Set(position.within.map(({ spaceId }) => spaceId));
    const isBehind = (spaceId: string) =>
      behind.has(spaceId) || round.behind.has(spaceId) || unseen.has(spaceId);
    return runs.filter(({ spaceId }) => !isBehind(spaceId));
  }

  /** Starts runs while there are places for them. Returns the milliseconds until the next look. */
  private async look(isWoken: boolean): Promise<number> {
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
    this.behind = this.round.behind;
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
      // Nothing else holds up runs for which there is a place.
      if (this.behind.size + this.round.behind.size > 0) await this.creation.giveWay();
      const { tasks, isCounted, next } = await listWaiting(this.database, this.position);
      const claimed = await this.start(this.places.take(tasks, BATCH));
      const left = isCounted ? tasksLeft(tasks, claimed) : tasks;
      for (const { spaceId } of left) this.round.behind.add(spaceId);
      isMoving ||= left.length > 0 && claimed.length > 0;
      this.round.isMoving ||= isMoving;
      this.position = next;
      if (next.after !== null) continue;
      if (next.within.length > 0) {
        if (!isMoving) return MORE_MS;
      } else {
        const over = this.round;
        this.round = newRound();
        this.behind = over.behind;
        if (!over.isMoving) {
          this.isAnyLeft = over.behind.size > 0;
          return IDLE_MS;
        }
      }
      isMoving = false;
    }
    return IDLE_MS;
  }

  /** Claims runs for places, and returns them. */
  private async start(taken: readonly TaskPlaces[]): Promise<ActiveRun[]> {
    if (taken.length === 0) return [];
    let claimed: ActiveRun[] = [];
    try {
      claimed = await this.claims.claim(wantedRuns(taken));
    } finally {
      await this.begin(claimed, taken);
    }
    return claimed;
  }

  /** Has claimed runs executed. Resolves when they have begun, or when a process that ends has given them back. */
  private async begin(claimed: readonly ActiveRun[], taken: readonly TaskPlaces[]): Promise<void> {
    const runs = this.execute(claimed, taken);
    if (this.loop.signal.aborted) await runs;
  }

  /** Executes claimed runs, each in a place of its task, and gives the other places back. */
  private async execute(claimed: readonly ActiveRun[], taken: readonly TaskPlaces[]): Promise<void> {
    const free = new Map(taken.map(({ taskId, places }) => [taskId, places]));
    const places = claimed.map(({ run }) => free.get(run.taskId)?.pop());
    giveBack(taken);
    const runs = claimed.map(async (active, i) => {
      const leaveOthers = this.places.extend(active.run, Math.floor(active.run.inputBytes / PLACE_BYTES));
      await this.worker.run(active);
      places[i]?.();
      leaveOthers();
      // Another run may have its place, or that of its key.
      if (this.isAnyLeft || active.run.concurrencyKey !== null) this.loop.wake();
    });
    await Promise.all(runs);
  }
}

/** Starts the runs of one transaction. Its places are taken before the claim, and go to what was claimed. */
class DirectStart implements RunStart {
  private taken: TaskPlaces[] = [];
  private open: OpenClaim | null = null;
  private claimed: ActiveRun[] = [];

  constructor(
    private readonly take: (waiting: readonly WaitingTask[]) => TaskPlaces[],
    private readonly claims: RunClaimsService,
    private readonly begin: (claimed: readonly ActiveRun[], taken: readonly TaskPlaces[]) => Promise<void>,
  ) {}

  async claim(tx: EntityManager, runs: readonly EventRun[]): Promise<void> {
    // A transaction that was rolled back can be done once more.
    giveBack(this.taken);
    this.open = null;
    this.claimed = [];
    this.taken = this.take(tasksOf(runs));
    if (this.taken.length === 0) return;
    this.open = this.claims.openClaim(wantedRuns(this.taken));
    this.claimed = (await this.open.claim(tx)).runs;
  }

  async execute(): Promise<ReadonlySet<string>> {
    for (const { run } of this.claimed) failpoint('runs.claimed-directly', run.id);
    await this.begin(this.claimed, this.taken);
    return new Set(this.claimed.map(({ run }) => run.id));
  }

  fail(error: unknown): void {
    if (this.open === null || !isUnavailable(error)) {
      giveBack(this.taken);
      return;
    }
    // Without an answer, the leases of what was claimed expire, and the runs are attempted again.
    this.open.find().then(
      (claimed) => this.begin(claimed, this.taken),
      () => giveBack(this.taken),
    );
  }
}

function giveBack(taken: readonly TaskPlaces[]): void {
  for (const { places } of taken) for (const leave of places) leave();
}

function wantedRuns(taken: readonly TaskPlaces[]): WantedRuns[] {
  return taken.map(({ taskId, places }) => ({ taskId, count: places.length }));
}

/** The tasks of which more runs wait than were claimed. */
function tasksLeft(tasks: readonly WaitingTask[], claimed: readonly ActiveRun[]): WaitingTask[] {
  const runs = Map.groupBy(claimed, ({ run }) => run.taskId);
  return tasks.filter(({ taskId, waiting }) => waiting > (runs.get(taskId)?.length ?? 0));
}

function tasksOf(runs: readonly EventRun[]): WaitingTask[] {
  const waiting = new Map<string, WaitingTask>();
  for (const { spaceId, ownerUserId, taskId } of runs) {
    const task = waiting.get(taskId) ?? { spaceId, ownerUserId, taskId, waiting: 0 };
    task.waiting += 1;
    waiting.set(taskId, task);
  }
  return [...waiting.values()];
}
