import { Logger } from '@nestjs/common';
import { rows, type Sql } from '../infra/database/rows.ts';
import type { StreamHub } from './stream-hub.ts';

const POLL_MS = 250;

/** Reads what other processes write into streams that readers of this process follow: one statement per poll. */
export class RemoteTail {
  private readonly logger = new Logger(RemoteTail.name);
  private readonly heads = new Map<string, number>();
  private readonly timer = setInterval(() => void this.poll(), POLL_MS).unref();
  private polling = false;

  constructor(
    private readonly sql: Sql,
    private readonly hub: StreamHub,
    private readonly isLocal: (streamId: string) => boolean,
  ) {}

  /** A reader stands at `position`; what lies before needs no reading. */
  reached(streamId: string, position: number): void {
    if (!this.heads.has(streamId)) this.heads.set(streamId, position);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async poll(): Promise<void> {
    if (this.polling) return;
    const remote = this.hub.followed().filter((id) => !this.isLocal(id));
    for (const id of this.heads.keys()) if (!remote.includes(id)) this.heads.delete(id);
    const ids = remote.filter((id) => this.heads.has(id));
    if (ids.length === 0) return;
    this.polling = true;
    try {
      await this.deliver(ids);
    } catch (error) {
      this.logger.warn({ err: error }, 'Streams of other processes could not be read; trying again');
    } finally {
      this.polling = false;
    }
  }

  private async deliver(ids: string[]): Promise<void> {
    const found = await rows<{
      id: string;
      fromSeq: number;
      toSeq: number;
      data: Buffer;
      lastSeq: number | null;
    }>(
      this.sql,
      `select s.id, s.last_seq as "lastSeq", f.from_seq as "fromSeq", f.to_seq as "toSeq", f.data
       from unnest($1::uuid[], $2::int[]) as w(id, head)
       join stream s on s.id = w.id
       join lateral (
         select from_seq, to_seq, data from stream_frame
         where stream_id = s.id and to_seq > w.head order by from_seq limit 64
       ) f on true
       order by s.id, f.from_seq`,
      [ids, ids.map((id) => this.heads.get(id) ?? 0)],
    );
    for (const row of found) {
      this.heads.set(row.id, row.toSeq);
      this.hub.deliver(row.id, row, row.toSeq === row.lastSeq);
    }
  }
}
