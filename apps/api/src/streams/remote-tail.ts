import { Logger } from '@nestjs/common';
import type { Sql } from '../infra/database/rows.ts';
import type { StreamHub } from './stream-hub.ts';
import { readHeads } from './stream-log.store.ts';

const POLL_MS = 250;

/**
 * Polls for the progress of followed streams that other processes write: one statement per poll, without frames. The
 * readers then read the frames from the log, each at its own pace.
 */
export class RemoteTail {
  private readonly logger = new Logger(RemoteTail.name);
  private timer: NodeJS.Timeout | null = null;
  private polling = false;

  constructor(
    private readonly sql: Sql,
    private readonly hub: StreamHub,
    private readonly isLocal: (streamId: string) => boolean,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => void this.poll(), POLL_MS).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private async poll(): Promise<void> {
    if (this.polling) return;
    const known = new Map([...this.hub.heads()].filter(([id]) => !this.isLocal(id)));
    if (known.size === 0) return;
    this.polling = true;
    try {
      for (const [id, head] of await readHeads(this.sql, known)) this.hub.reach(id, head);
    } catch (error) {
      this.logger.warn({ err: error }, 'Streams of other processes could not be read; retrying');
    } finally {
      this.polling = false;
    }
  }
}
