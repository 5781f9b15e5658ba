import { Logger } from '@nestjs/common';
import type { PlatformConfig } from '../infra/config/platform-config.ts';
import { SqlPool } from '../infra/database/pools.ts';
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
 * Renews the leases of the streams that this process writes, and polls for cancel requests from other processes.
 */
export class Leases {
  private readonly logger = new Logger(Leases.name);
  private readonly streams = new Map<string, LeasedStream>();
  private timers: NodeJS.Timeout[] = [];
  /** A connection of its own, so that a busy pool cannot let the leases expire. */
  private readonly heartbeat: SqlPool;
  private renewing = false;
  private polling = false;

  constructor(
    private readonly sql: Sql,
    private readonly config: Pick<PlatformConfig, 'database' | 'databaseUrl' | 'streamLeaseMs'>,
  ) {
    this.heartbeat = new SqlPool('heartbeat', config);
  }

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
    await this.heartbeat.end();
  }

  private async renew(): Promise<void> {
    if (this.renewing || this.streams.size === 0) return;
    this.renewing = true;
    const writers = [...this.streams.values()].map(({ writer }) => writer);
    try {
      const current = await renewLeases(this.heartbeat, writers, this.config.streamLeaseMs);
      // A stream that has ended meanwhile is no longer in the map.
      for (const writer of writers)
        if (!current.has(writer.streamId) && this.has(writer.streamId)) writer.abandon();
    } catch (error) {
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
}
