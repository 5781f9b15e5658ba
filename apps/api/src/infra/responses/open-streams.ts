import type { Response } from 'express';
import { AppError } from '../errors/app-error.ts';

/** Counts the streams that each user has open in this process. */
export class OpenStreams {
  private readonly counts = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** Counts a stream until its response is closed. Throws RATE_LIMITED if the user has the maximum. */
  enter(userId: string, res: Response): void {
    // A response that is already closed emits no further event, so it would be counted forever.
    if (res.destroyed) return;
    const count = this.counts.get(userId) ?? 0;
    if (count >= this.most) {
      throw new AppError('RATE_LIMITED', `At most ${this.most} streams of a user may be open`, {
        retryAfter: 1,
      });
    }
    this.counts.set(userId, count + 1);
    res.once('close', () => this.leave(userId));
  }

  private leave(userId: string): void {
    const count = (this.counts.get(userId) ?? 0) - 1;
    if (count > 0) this.counts.set(userId, count);
    else this.counts.delete(userId);
  }
}
