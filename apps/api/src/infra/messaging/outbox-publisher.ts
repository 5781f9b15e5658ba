import { Logger } from '@nestjs/common';
import type { HintKind, Messaging } from './messaging.ts';
import { Sleeper } from './sleeper.ts';

/** The rows of an owner that wait to be worked at. */
export interface OutboxSource {
  kind: HintKind;
  /**
   * Takes rows whose `next_publish_at` has passed, oldest first, `limit` at most, and moves theirs on: a first time by
   * `republishAfterMs`, then by more and more. `for update skip locked`, for every working process asks.
   */
  due(limit: number): Promise<string[]>;
  /**
   * Messaging may have lost every hint: makes `limit` rows at most due that wait for a worker to look, and resolves to
   * how many there were.
   */
  expedite(limit: number): Promise<number>;
}

const BATCH = 500;
/** Between two batches, so that others get their turn with the rows and the connections. */
const PAUSE_MS = 20;

/** Publishes the rows of one owner again, until they are worked at. While messaging is down they wait: it does not poll. */
export class OutboxPublisher {
  private readonly logger = new Logger(OutboxPublisher.name);
  private readonly sleeper = new Sleeper();
  private stopping = false;
  /** What was published before the start, or before an outage, may be lost. */
  private mayHaveLost = true;
  private idleMs: number;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly messaging: Messaging,
    private readonly source: OutboxSource,
  ) {
    this.idleMs = messaging.pace.minPollMs;
  }

  start(): void {
    this.messaging.onRecovery(() => {
      this.mayHaveLost = true;
      this.sleeper.wake();
    });
    this.running = this.run();
  }

  /** Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.sleeper.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopping) await this.sleeper.sleep(await this.round());
  }

  /** One look at the database; resolves to the milliseconds until the next. */
  private async round(): Promise<number> {
    const { pace } = this.messaging;
    const { kind } = this.source;
    if (!this.messaging.hasCapacity(kind)) return pace.minPollMs;
    try {
      if (this.mayHaveLost) await this.expedite();
      const ids = await this.source.due(BATCH);
      await this.messaging.publish(kind, ids);
      this.idleMs = ids.length > 0 ? pace.minPollMs : Math.min(2 * this.idleMs, pace.maxPollMs);
      return ids.length < BATCH ? this.idleMs : 0;
    } catch (error) {
      this.logger.warn({ err: error, kind }, 'Rows could not be published again; trying later');
      return pace.maxPollMs;
    }
  }

  private async expedite(): Promise<void> {
    this.mayHaveLost = false;
    try {
      while (!this.stopping && (await this.source.expedite(BATCH)) === BATCH)
        await this.sleeper.sleep(PAUSE_MS);
    } catch (error) {
      this.mayHaveLost = true;
      throw error;
    }
  }
}
