import { Logger } from '@nestjs/common';
import type { PlatformConfig } from '../infra/config/platform-config.ts';
import { Connection, poolOptions } from '../infra/database/pools.ts';
import { rows, type Sql } from '../infra/database/rows.ts';
import type { StreamWriter } from './stream-writer.ts';

const HEARTBEAT_MS = 5_000;
const CANCEL_POLL_MS = 250;

interface LeasedStream {
  writer: StreamWriter;
  onCancel: () => void;
}

/**
 * The streams that this process writes. Keeps their leases alive on a connection of its own, so that a busy pool
 * cannot let them lapse, and learns of cancel wishes that came through other processes.
 */
export class Leases {
  private readonly logger = new Logger(Leases.name);
  private readonly streams = new Map<string, LeasedStream>();
  private timers: NodeJS.Timeout[] = [];
  private connection: Promise<Connection> | null = null;
  private renewing = false;
  private polling = false;

  constructor(
    private readonly sql: Sql,
    private readonly config: Pick<PlatformConfig, 'database' | 'databaseUrl' | 'streamLeaseMs'>,
  ) {}

  start(): void {
    if (this.timers.length > 0) return;
    this.timers = [
      setInterval(() => void this.renew(), Math.min(HEARTBEAT_MS, this.config.streamLeaseMs / 4)).unref(),
      setInterval(() => void this.findCancelRequests(), CANCEL_POLL_MS).unref(),
    ];
  }

  add(writer: StreamWriter, onCancel: () => void): void {
    this.streams.set(writer.streamId, { writer, onCancel });
  }

  remove(streamId: string): void {
    this.streams.delete(streamId);
  }

  has(streamId: string): boolean {
    return this.streams.has(streamId);
  }

  cancel(streamId: string): void {
    this.streams.get(streamId)?.onCancel();
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
    await this.disconnect();
  }

  private async renew(): Promise<void> {
    if (this.renewing || this.streams.size === 0) return;
    this.renewing = true;
    const writers = [...this.streams.values()].map(({ writer }) => writer);
    try {
      const client = await this.connected();
      const { rows: alive } = await client.query<{ id: string }>(
        // A stream that somebody has locked, such as a transaction that ends it, keeps nobody else's lease waiting.
        `with held as (
           select id from stream join unnest($1::uuid[], $2::uuid[]) as h(id, fencing_token) using (id)
           where stream.fencing_token = h.fencing_token and ended_at is null
         ), free as (
           select id from stream where id in (select id from held) for no key update skip locked
         ), renewed as (
           update stream set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
           where id in (select id from free)
         )
         select id from held`,
        [
          writers.map((writer) => writer.streamId),
          writers.map((writer) => writer.fencingToken),
          this.config.streamLeaseMs,
        ],
      );
      const ids = new Set(alive.map((row) => row.id));
      // A stream that ended meanwhile is no longer held.
      for (const writer of writers)
        if (!ids.has(writer.streamId) && this.has(writer.streamId)) writer.abandon();
    } catch (error) {
      void this.disconnect();
      this.logger.warn({ err: error }, 'Leases could not be renewed; trying again');
    } finally {
      this.renewing = false;
    }
  }

  private async findCancelRequests(): Promise<void> {
    if (this.polling || this.streams.size === 0) return;
    this.polling = true;
    try {
      const wished = await rows<{ id: string }>(
        this.sql,
        'select id from stream where id = any($1::uuid[]) and ended_at is null and cancel_requested_at is not null',
        [[...this.streams.keys()]],
      );
      for (const { id } of wished) this.cancel(id);
    } catch {
      // The flushes meet the same fault and report it.
    } finally {
      this.polling = false;
    }
  }

  private connected(): Promise<Connection> {
    if (this.connection) return this.connection;
    const client = new Connection({
      connectionString: this.config.databaseUrl,
      ...poolOptions('heartbeat', this.config.database),
    });
    const connection = client.connect().then(() => client);
    client.on('error', () => {
      if (this.connection === connection) void this.disconnect();
    });
    this.connection = connection;
    return connection;
  }

  /** A connection that failed may still wait for an answer: it is ended, not only forgotten. */
  private async disconnect(): Promise<void> {
    const connection = this.connection;
    this.connection = null;
    await connection?.then((client) => client.end()).catch(() => undefined);
  }
}
