import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { BackgroundDatabase } from '../../infra/database/database.ts';
import { PollWorker } from '../../infra/database/poll-worker.ts';
import { Messaging } from '../../infra/messaging/messaging.ts';
import { FairQueue, type Leave } from '../../infra/runtime/fair-queue.ts';
import { BackgroundTurnsService } from '../../turns/lifecycle/background-turns.service.ts';
import { JobClaimsService, type ClaimOutcome } from './job-claims.service.ts';
import * as queue from './job-queue.store.ts';
import { JobRecordsService } from '../records/job-records.service.ts';
import { orderUsers } from './user-order.ts';

/** How often the queue is polled, for jobs of other processes and lost hints. */
const IDLE_MS = 1_000;
/** The same while ready jobs cannot start yet. */
const BLOCKED_MS = 500;
/** How many users one poll considers; the next poll continues after them. */
const USERS = 500;

interface Picked {
  id: string;
  userId: string;
  leave: Leave;
}

/** Starts queued jobs: next is the oldest job of the user with the fewest running turns. */
@Injectable()
export class JobStarterWorker extends PollWorker {
  private readonly claiming = new Set<Promise<unknown>>();
  private readonly places: FairQueue;
  private after: string | null = null;
  /** When each user with waiting jobs was last served. */
  private readonly served = new Map<string, number>();
  private starts = 0;

  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
    private readonly messaging: Messaging,
    private readonly turns: BackgroundTurnsService,
    private readonly records: JobRecordsService,
    private readonly claims: JobClaimsService,
  ) {
    super(config, { failure: 'Queued jobs could not be started', retryMs: IDLE_MS });
    this.places = new FairQueue({ places: config.jobConcurrency, leaveRoom: true });
  }

  override onApplicationBootstrap(): void {
    if (this.config.isWorker) this.messaging.onRecovery(() => this.wake());
    super.onApplicationBootstrap();
  }

  /** Waits for current claims. The runner drains the running turns. */
  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await Promise.allSettled(this.claiming);
  }

  /** Starts jobs while there are places for them. Returns the milliseconds to wait. */
  protected async poll(isWoken: boolean): Promise<number> {
    // While messaging is down, all work waits.
    if (this.messaging.getState() === 'down') return IDLE_MS;
    if (!isWoken && !(await this.database.hasRows(queue.JOBS_QUEUED))) return this.rest();
    await queue.requeueExpired(this.database);
    while (!this.signal.aborted && this.places.free > 0) {
      const { picked, waiting } = await this.pick();
      for (const job of picked) this.start(job);
      if (picked.length === 0) return waiting ? BLOCKED_MS : IDLE_MS;
    }
    return IDLE_MS;
  }

  /** Forgets the users when no job is ready or runs: whoever has a place was served, and goes last when others come. */
  private rest(): number {
    this.after = null;
    if (this.places.free === this.config.jobConcurrency) this.served.clear();
    return IDLE_MS;
  }

  /** Picks one job of each user who can have a place. `waiting` is whether any job is ready. */
  private async pick(): Promise<{ picked: Picked[]; waiting: boolean }> {
    const users = await queue.listWaitingUsers(this.database, this.after, USERS);
    const isPartial = this.after !== null;
    this.after = users.length < USERS ? null : (users.at(-1)?.userId ?? null);
    if (users.length === 0) {
      if (isPartial) return this.pick();
      this.rest();
      return { picked: [], waiting: false };
    }
    const running = await this.turns.countRunning(users.map(({ userId }) => userId));
    const contenders = users.map(({ userId, oldest, starting }) => ({
      userId,
      oldest,
      running: starting + (running.get(userId) ?? 0),
      served: this.served.get(userId) ?? 0,
    }));
    return { picked: await this.pickFor(orderUsers(contenders, this.config.maxRunningTurns)), waiting: true };
  }

  /** Picks the oldest job of each user who can have a place, as long as there are places. */
  private async pickFor(userIds: readonly string[]): Promise<Picked[]> {
    const places = new Map<string, Leave>();
    for (const userId of userIds) {
      const leave = this.places.tryEnter(userId);
      if (leave !== null) places.set(userId, leave);
    }
    if (places.size === 0) return [];
    const picked: Picked[] = [];
    try {
      for (const { id, userId } of await queue.pickJobs(this.database, [...places.keys()])) {
        const leave = places.get(userId);
        if (leave === undefined) continue;
        picked.push({ id, userId, leave });
        places.delete(userId);
      }
      return picked;
    } finally {
      // The jobs of these users were picked by other processes.
      for (const leave of places.values()) leave();
    }
  }

  private start({ id, userId, leave }: Picked): void {
    this.served.set(userId, ++this.starts);
    const claim = this.claim(id);
    this.claiming.add(claim);
    void claim.then(async (outcome) => {
      this.claiming.delete(claim);
      if (typeof outcome === 'object') await this.waitForEnd(id, outcome.streamId);
      leave();
      // Does not wake the starter: the next claim would return `later` as well.
      if (outcome === 'later') return;
      this.wake();
      if (outcome !== 'parked') await this.messaging.publish('job', [id]);
    });
  }

  private async waitForEnd(id: string, streamId: string): Promise<void> {
    try {
      await this.turns.ended(streamId);
    } catch (error) {
      this.logger.warn({ err: error, job: id }, 'The turn of a job ended unexpectedly');
    }
  }

  /** Never rejects: a job that could not be claimed is picked again later. */
  private async claim(id: string): Promise<ClaimOutcome> {
    try {
      const [job] = await this.records.findOpen([id]);
      return job ? await this.claims.claim(job) : 'moved';
    } catch (error) {
      this.logger.warn({ err: error, job: id }, 'A job could not be started; retrying');
      await queue.requeue(this.database, id, 'READY').catch(() => undefined);
      return 'later';
    }
  }
}
