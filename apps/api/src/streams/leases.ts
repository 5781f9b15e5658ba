import { Logger } from '@nestjs/common';
import type { PlatformConfig } from '../infra/config/platform-config.ts';
import { Connection, poolOptions } from '../infra/database/pools.ts';
import type { Sql } from '../infra/database/rows.ts';
import { findCancelRequests, renewLeases } from './stream-log.store.ts';
import type { StreamWriter } from './stream-writer.ts';

const HEARTBEAT_MS = 5_000;
const CANCEL_POLL_MS = 250;

interface LeasedStream {
  writer: StreamWriter;
  onCancel: () => void;
}

/**
 * Renews the leases of the streams that this process writes, on a separate connection so that a busy pool cannot let
 * them expire, and polls for cancel requests from other processes.
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
      setInterval(() => void this.pollCancelRequests(), CANCEL_POLL_MS).unref(),
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
      const current = await renewLeases(await this.connect(), writers, this.config.streamLeaseMs);
      // A stream that has ended meanwhile is no longer in the map.
      for (const writer of writers)
        if (!current.has(writer.streamId) && this.has(writer.streamId)) writer.abandon();
    } catch (error) {
      void this.disconnect();
      this.logger.warn({ err: error }, 'Leases could not be renewed; retrying');
    } finally {
      this.renewing = false;
    }
  }

  private async pollCancelRequests(): Promise<void> {
    if (this.polling || this.streams.size === 0) return;
    this.polling = true;
    try {
      for (const id of await findCancelRequests(this.sql, [...this.streams.keys()])) this.cancel(id);
    } catch {
      // The flushes fail for the same reason and report it.
    } finally {
      this.polling = false;
    }
  }

  private async connect(): Promise<Sql> {
    this.connection ??= this.open();
    const client = await this.connection;
    return {
      query: async <T>(statement: string, parameters?: unknown[]) =>
        (await client.query(statement, parameters)).rows as T,
    };
  }

  private open(): Promise<Connection> {
    const client = new Connection({
      connectionString: this.config.databaseUrl,
      ...poolOptions('heartbeat', this.config.database),
    });
    const connection = client.connect().then(() => client);
    client.on('error', () => {
      if (this.connection === connection) void this.disconnect();
    });
    return connection;
  }

  /** A failed connection may still wait for a response, so it is ended, not only dropped. */
  private async disconnect(): Promise<void> {
    const connection = this.connection;
    this.connection = null;
    await connection?.then((client) => client.end()).catch(() => undefined);
  }
}
