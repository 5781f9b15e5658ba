import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Gathering } from '../../infra/database/batched.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { SqlPool } from '../../infra/database/pools.ts';
import type { ActiveRun } from './active-run.ts';
import { findCancelRequests, renewLeases } from './run-claims.store.ts';

const MAX_RENEWAL_MS = 5_000;
const POLL_MS = 250;
const GATHER_MS = 20;

/**
 * Renews the leases of the runs that this process executes, on a connection of its own so that a busy pool cannot let
 * them expire; stops runs that are to be cancelled, and runs that this process has lost.
 */
@Injectable()
export class RunLeasesWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  /** For statements about runs. A process that executes many lets those of one moment share them, and waits a little. */
  readonly gathering: Gathering = {
    isEnough: (runs) => 2 * runs >= this.active.size,
    maxMs: GATHER_MS,
  };
  private readonly logger = new Logger(RunLeasesWorker.name);
  private readonly active = new Map<string, ActiveRun>();
  private readonly sql: SqlPool;
  private timers: NodeJS.Timeout[] = [];
  private renewing = false;
  private polling = false;

  constructor(private readonly config: PlatformConfig) {
    this.sql = new SqlPool('heartbeat', config);
  }

  onApplicationBootstrap(): void {
    if (!this.config.isWorker) return;
    const renewalMs = Math.min(MAX_RENEWAL_MS, this.config.runLeaseMs / 4);
    this.timers = [
      setInterval(() => void this.renew(), renewalMs).unref(),
      setInterval(() => void this.poll(), Math.min(POLL_MS, this.config.runLeaseMs / 8)).unref(),
    ];
  }

  /** Whoever claimed the run again has lost it before: an older execution of it ends. */
  add(active: ActiveRun): void {
    this.active.get(active.run.id)?.stop('lost');
    this.active.set(active.run.id, active);
  }

  /** After a loss, this process may have claimed the run again. */
  remove(active: ActiveRun): void {
    if (this.active.get(active.run.id) === active) this.active.delete(active.run.id);
  }

  list(): ActiveRun[] {
    return [...this.active.values()];
  }

  /** Stops a run if this process executes it; other processes find the request in the queue. */
  cancel(runId: string): void {
    this.active.get(runId)?.stop('cancelled');
  }

  async onApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.sql.end();
  }

  private async renew(): Promise<void> {
    if (this.renewing || this.active.size === 0) return;
    this.renewing = true;
    const asked = this.list();
    const askedAt = performance.now();
    try {
      const claims = asked.map(({ claim }) => claim);
      const held = await renewLeases(this.sql, claims, this.config.runLeaseMs);
      for (const active of asked) {
        if (held.has(active.run.id)) active.renewedAt = askedAt;
        else this.lose(active);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'The leases of runs could not be renewed; retrying');
    } finally {
      this.renewing = false;
    }
  }

  private async poll(): Promise<void> {
    // First what needs no database: after a pause of the process, its runs may be executing elsewhere.
    const deadline = performance.now() - 0.75 * this.config.runLeaseMs;
    for (const active of this.active.values()) if (active.renewedAt < deadline) this.lose(active);
    if (this.polling || this.active.size === 0) return;
    this.polling = true;
    const asked = this.list();
    try {
      const requests = await findCancelRequests(
        this.sql,
        asked.map(({ claim }) => claim),
      );
      for (const active of asked) {
        const isRequested = requests.get(active.run.id);
        if (isRequested === undefined) this.lose(active);
        else if (isRequested) active.stop('cancelled');
      }
    } catch {
      // The renewals fail for the same reason and report it.
    } finally {
      this.polling = false;
    }
  }

  /** A run that has ended meanwhile is no longer in the map. */
  private lose(active: ActiveRun): void {
    if (this.active.get(active.run.id) === active) active.stop('lost');
  }
}
