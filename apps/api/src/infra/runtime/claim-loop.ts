import { PollLoop } from './poll-loop.ts';

/** How often work of other processes is looked for, and work whose worker has died. */
const IDLE_MS = 1_000;

interface ClaimLoopOptions<Work> {
  /** How much work a process executes at the same time. */
  maxRunning: number;
  /** Returns null if there is no work. */
  claim: () => Promise<Work | null>;
  /** Never rejects. Ends early when the signal of the loop aborts. */
  execute: (work: Work) => Promise<void>;
  /** Called when a claim fails. The claim is repeated. */
  onClaimError: (error: unknown) => void;
}

/** Claims work and executes it, until it is stopped. */
export class ClaimLoop<Work> {
  private readonly loop = new PollLoop(() => this.claim());
  private readonly executing = new Set<Promise<void>>();

  constructor(private readonly options: ClaimLoopOptions<Work>) {}

  /** Aborts when the loop is to end. */
  get signal(): AbortSignal {
    return this.loop.signal;
  }

  start(): void {
    this.loop.start();
  }

  /** Looks for work now. */
  wake(): void {
    this.loop.wake();
  }

  /** Resolves when the work that this process executes has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.executing);
  }

  /** Claims nothing more, and resolves when the current work has ended. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await this.settled();
  }

  /** Returns the milliseconds until the next poll. */
  private async claim(): Promise<number> {
    const { maxRunning, claim, execute, onClaimError } = this.options;
    try {
      while (this.executing.size < maxRunning && !this.signal.aborted) {
        const claimed = await claim();
        if (claimed === null) return IDLE_MS;
        const work = execute(claimed).finally(() => {
          this.executing.delete(work);
          this.wake();
        });
        this.executing.add(work);
      }
    } catch (error) {
      onClaimError(error);
    }
    return IDLE_MS;
  }
}
