import type { Chunk } from './stream-log.ts';

/** Beyond this many undelivered bytes a reader goes back to the log instead of being buffered for. */
const MAX_QUEUED = 256 * 1024;

interface Delivered extends Chunk {
  /** Whether the stream ends with it. */
  last: boolean;
}

/** One reader's end of a stream inside this process. */
export class Tail {
  private queue: Delivered[] = [];
  private queued = 0;
  private wake: (() => void) | null = null;
  /** Set where chunks were dropped: the reader has to read the log. */
  behind = false;

  push(chunk: Delivered): void {
    if (!this.behind) {
      this.queue.push(chunk);
      this.queued += chunk.data.length;
      if (this.queued > MAX_QUEUED) this.drop();
    }
    this.nudge();
  }

  /** The next chunk; null when there is news that only the log can tell, or the signal aborted. */
  async next(signal: AbortSignal): Promise<Delivered | null> {
    while (this.queue.length === 0 && !this.behind && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        signal.addEventListener('abort', this.nudge, { once: true });
      });
      signal.removeEventListener('abort', this.nudge);
    }
    const chunk = this.queue.shift();
    if (chunk === undefined) return null;
    this.queued -= chunk.data.length;
    return chunk;
  }

  /** Forgets what was not delivered and sends the reader to the log. */
  sendToLog(): void {
    this.drop();
    this.nudge();
  }

  private drop(): void {
    this.queue = [];
    this.queued = 0;
    this.behind = true;
  }

  private readonly nudge = (): void => {
    this.wake?.();
    this.wake = null;
  };
}

/** Hands stored frames to the readers of this process. */
export class StreamHub {
  private readonly tails = new Map<string, Set<Tail>>();

  subscribe(streamId: string): Tail {
    const tail = new Tail();
    const tails = this.tails.get(streamId) ?? new Set();
    tails.add(tail);
    this.tails.set(streamId, tails);
    return tail;
  }

  unsubscribe(streamId: string, tail: Tail): void {
    const tails = this.tails.get(streamId);
    tails?.delete(tail);
    if (tails?.size === 0) this.tails.delete(streamId);
  }

  deliver(streamId: string, { fromSeq, toSeq, data }: Chunk, last: boolean): void {
    for (const tail of this.tails.get(streamId) ?? []) tail.push({ fromSeq, toSeq, data, last });
  }

  sendToLog(streamId: string): void {
    for (const tail of this.tails.get(streamId) ?? []) tail.sendToLog();
  }

  followed(): string[] {
    return [...this.tails.keys()];
  }
}
