import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { PollLoop } from '../runtime/poll-loop.ts';
import type { HintKind, Messaging } from './messaging.ts';

/** Rows that wait to be handled. */
export interface OutboxSource {
  kind: HintKind;
  /** Asked before each `takeDue`, together with others. */
  isAnyDue(): Promise<boolean>;
  /**
   * Takes at most `limit` rows whose `next_publish_at` has passed, oldest first, and postpones it: first by
   * `republishAfterMs`, then by more and more. Uses `for update skip locked`, because every worker process polls.
   */
  takeDue(limit: number): Promise<string[]>;
  /** Makes at most `limit` published rows due again, because messaging may have lost all hints. Returns how many. */
  expedite(limit: number): Promise<number>;
}

const BATCH = 500;
/** Between two batches, so that others can lock the rows and use the connections. */
const PAUSE_MS = 20;

/** Publishes the rows of one source until they are handled. It does not poll while messaging is down. */
export class OutboxPublisher {
  private readonly logger = new Logger(OutboxPublisher.name);
  private readonly loop = new PollLoop(() => this.publishDue());
  /** Whether hints that were published before the start or an outage may be lost. */
  private mayHaveLost = true;
  private idleMs: number;

  constructor(
    private readonly messaging: Messaging,
    private readonly source: OutboxSource,
  ) {
    this.idleMs = messaging.pace.minPollMs;
  }

  start(): void {
    this.messaging.onRecovery(() => {
      this.mayHaveLost = true;
      this.loop.wake();
    });
    this.loop.start();
  }

  /** Resolves when the current poll has ended. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** Polls once. Returns the milliseconds until the next poll. */
  private async publishDue(): Promise<number> {
    const { pace } = this.messaging;
    const { kind } = this.source;
    // A row whose hint is dropped would wait longer each time.
    const limit = Math.min(this.messaging.countPlaces(kind), BATCH);
    if (limit === 0) return pace.minPollMs;
    try {
      if (this.mayHaveLost) await this.expedite();
      const ids = (await this.source.isAnyDue()) ? await this.source.takeDue(limit) : [];
      if (ids.length > 0) await this.messaging.publish(kind, ids);
      this.idleMs = ids.length > 0 ? pace.minPollMs : Math.min(2 * this.idleMs, pace.maxPollMs);
      return ids.length < BATCH ? this.idleMs : 0;
    } catch (error) {
      this.logger.warn({ err: error, kind }, 'Rows could not be published; retrying');
      return pace.maxPollMs;
    }
  }

  private async expedite(): Promise<void> {
    this.mayHaveLost = false;
    try {
      while (!this.loop.signal.aborted && (await this.source.expedite(BATCH)) === BATCH)
        await delay(PAUSE_MS);
    } catch (error) {
      this.mayHaveLost = true;
      throw error;
    }
  }
}
