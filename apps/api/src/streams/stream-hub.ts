import type { Chunk } from './stream-log.store.ts';

/** The latest bytes that are kept of a followed stream, so that readers that lag a little need not read the log. */
const RECENT_BYTES = 64 * 1024;

export interface Delivered extends Chunk {
  /** Whether this is the end of the stream. */
  last: boolean;
}

/** The latest frames of a stream that is followed in this process, shared by all of its readers. */
class Feed {
  /** The highest seq that is known to be stored. */
  head = 0;
  readonly waiting = new Set<() => void>();
  readers = 0;
  private recent: Delivered[] = [];
  private bytes = 0;

  deliver(chunk: Delivered): void {
    if (this.recent.at(-1)?.toSeq !== chunk.fromSeq - 1) this.forget();
    this.recent.push(chunk);
    this.bytes += chunk.data.length;
    while (this.bytes > RECENT_BYTES && this.recent.length > 1)
      this.bytes -= this.recent.shift()?.data.length ?? 0;
    this.reach(chunk.toSeq);
  }

  /** Wakes only the readers that wait: a busy one costs nothing. */
  reach(seq: number): void {
    if (seq <= this.head) return;
    this.head = seq;
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }

  /** Returns the chunk that continues after `position`, or null if only the log has it. */
  after(position: number): Delivered | null {
    const chunk = this.recent.findLast(({ fromSeq }) => fromSeq <= position + 1);
    return chunk && chunk.toSeq > position ? chunk : null;
  }

  private forget(): void {
    this.recent = [];
    this.bytes = 0;
  }
}

/** One reader of a stream in this process. Nothing is buffered for it. */
export class Subscription {
  constructor(
    private readonly feed: Feed,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', this.wake);
  }

  /** Waits for frames after `position`. Returns null if only the log has them, or if the signal aborted. */
  async next(position: number): Promise<Delivered | null> {
    while (this.feed.head <= position && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.resume = resolve;
        this.feed.waiting.add(this.wake);
      });
    }
    return this.signal.aborted ? null : this.feed.after(position);
  }

  close(): void {
    this.feed.waiting.delete(this.wake);
    this.signal.removeEventListener('abort', this.wake);
  }

  private resume: (() => void) | null = null;

  private readonly wake = (): void => {
    this.resume?.();
    this.resume = null;
  };
}

/** Delivers stored frames to the readers of this process. */
export class StreamHub {
  private readonly feeds = new Map<string, Feed>();

  /** Subscribes a reader until `leave`. */
  join(streamId: string, signal: AbortSignal): Subscription {
    const feed = this.feeds.get(streamId) ?? new Feed();
    feed.readers++;
    this.feeds.set(streamId, feed);
    return new Subscription(feed, signal);
  }

  leave(streamId: string, subscription: Subscription): void {
    subscription.close();
    const feed = this.feeds.get(streamId);
    if (feed && --feed.readers === 0) this.feeds.delete(streamId);
  }

  deliver(streamId: string, { fromSeq, toSeq, data }: Chunk, last: boolean): void {
    this.feeds.get(streamId)?.deliver({ fromSeq, toSeq, data, last });
  }

  /** Notifies the readers that another process has stored frames up to `seq`. */
  reach(streamId: string, seq: number): void {
    this.feeds.get(streamId)?.reach(seq);
  }

  /** Returns the last known frame of each followed stream. */
  heads(): Map<string, number> {
    return new Map([...this.feeds].map(([id, { head }]) => [id, head]));
  }
}
