import {
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { PlatformConfig } from '../config/platform-config.ts';
import { PollLoop } from '../runtime/poll-loop.ts';
import type { BackgroundDatabase } from './database.ts';

/** How often work of other processes is looked for, and work whose worker has died. */
const IDLE_MS = 1_000;

interface Queue<Work> {
  /** In the log, such as `Documents`. */
  name: string;
  /** How much work a process executes at the same time. */
  maxRunning: number;
  /** A query without parameters that has rows while there is work. */
  waiting: string;
  /** Returns null if there is no work. */
  claim: (database: BackgroundDatabase) => Promise<Work | null>;
}

/** Claims work and executes it until the process stops. */
export abstract class ClaimWorker<Work>
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  protected readonly logger = new Logger(this.constructor.name);
  private readonly loop = new PollLoop(() => this.claim());
  private readonly executing = new Set<Promise<void>>();

  constructor(
    private readonly config: PlatformConfig,
    protected readonly database: BackgroundDatabase,
    private readonly queue: Queue<Work>,
  ) {}

  /** Never rejects. Ends early when the signal aborts. */
  protected abstract execute(work: Work): Promise<void>;

  /** Aborts when the process stops. */
  protected get signal(): AbortSignal {
    return this.loop.signal;
  }

  onApplicationBootstrap(): void {
    if (this.config.isWorker) this.loop.start();
  }

  /** Looks for work now. */
  wake(): void {
    this.loop.wake();
  }

  /** Resolves when the work that this process executes has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.executing);
  }

  onModuleDestroy(): void {
    void this.loop.stop();
  }

  /** Claims nothing more, and resolves when the current work has ended. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
    await this.settled();
  }

  /** Returns the milliseconds until the next poll. */
  private async claim(): Promise<number> {
    const { name, maxRunning, waiting, claim } = this.queue;
    try {
      while (this.executing.size < maxRunning && !this.signal.aborted) {
        const claimed = (await this.database.hasRows(waiting)) ? await claim(this.database) : null;
        if (claimed === null) break;
        const work = this.execute(claimed).finally(() => {
          this.executing.delete(work);
          this.wake();
        });
        this.executing.add(work);
      }
    } catch (err) {
      this.logger.warn({ err }, `${name} could not be claimed; retrying`);
    }
    return IDLE_MS;
  }
}
