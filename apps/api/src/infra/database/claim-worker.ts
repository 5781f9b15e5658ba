import type { PlatformConfig } from '../config/platform-config.ts';
import type { BackgroundDatabase } from './database.ts';
import { PollWorker } from './poll-worker.ts';

/** How often work of other processes is looked for, and work whose worker has died. */
const IDLE_MS = 1_000;

interface Queue<Work> {
  /** In the log, such as `Documents`. */
  name: string;
  /** How much work a process executes at the same time. */
  maxRunning: number;
  /** A query without parameters that has rows while there is work. */
  waiting: string;
  /** Returns null if there is no work. It may depend on what this process executes at present. */
  claim: (database: BackgroundDatabase, executing: Work[]) => Promise<Work | null>;
}

/** Claims work and executes it until the process stops. */
export abstract class ClaimWorker<Work> extends PollWorker {
  private readonly executing = new Map<Work, Promise<void>>();

  constructor(
    config: PlatformConfig,
    protected readonly database: BackgroundDatabase,
    private readonly queue: Queue<Work>,
  ) {
    super(config, { failure: `${queue.name} could not be claimed`, retryMs: IDLE_MS });
  }

  /** Never rejects. Ends early when the signal aborts. */
  protected abstract execute(work: Work): Promise<void>;

  /** Resolves when the work that this process executes has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.executing.values());
  }

  /** Claims nothing more, and resolves when the current work has ended. */
  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await this.settled();
  }

  protected async poll(): Promise<number> {
    const { maxRunning, waiting, claim } = this.queue;
    while (this.executing.size < maxRunning && !this.signal.aborted) {
      const claimed = (await this.database.hasRows(waiting))
        ? await claim(this.database, [...this.executing.keys()])
        : null;
      if (claimed === null) break;
      const end = this.execute(claimed).finally(() => {
        this.executing.delete(claimed);
        this.wake();
      });
      this.executing.set(claimed, end);
    }
    return IDLE_MS;
  }
}
