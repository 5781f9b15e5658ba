import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../config/platform-config.ts';
import { BackgroundDatabase } from '../database/database.ts';
import { PollWorker } from '../database/poll-worker.ts';
import { rows } from '../database/rows.ts';

const POLL_MS = 5_000;
const RETRY_MS = 60_000;
/** A table with fewer dead rows is left to autovacuum. */
export const MIN_DEAD = 5_000;

interface DeadRows {
  name: string;
  dead: number;
}

/**
 * Vacuums the tables of queues that are busy. Each claim begins at the end of a queue where rows are deleted, and reads all index
 * pages of those that are dead: with 240,000 of them, which autovacuum leaves for a minute, a claim takes ten times as long.
 */
@Injectable()
export class QueueVacuumWorker extends PollWorker {
  /** How many dead rows each table had after its last vacuum: an old transaction may still see them. */
  private readonly kept = new Map<string, number>();

  constructor(
    config: PlatformConfig,
    private readonly database: BackgroundDatabase,
  ) {
    super(config, {
      failure: 'The tables of queues could not be vacuumed',
      retryMs: RETRY_MS,
      firstMs: POLL_MS,
    });
  }

  /** Call it in `onModuleInit`. */
  register(table: string): void {
    this.kept.set(table, 0);
  }

  protected async poll(): Promise<number> {
    const anyDue = [...this.kept.keys()].map(
      (name) => `pg_stat_get_dead_tuples('${name}'::regclass) >= ${MIN_DEAD}`,
    );
    if (anyDue.length > 0 && (await this.database.hasRows(`select where ${anyDue.join(' or ')}`)))
      for (const { name, dead } of await this.countDead())
        if (this.isWorthwhile(name, dead)) await this.vacuum(name);
    return POLL_MS;
  }

  /** As statistics count them. */
  private countDead(): Promise<DeadRows[]> {
    return rows(
      this.database,
      'select name, pg_stat_get_dead_tuples(name::regclass)::float8 as dead from unnest($1::text[]) as t(name)',
      [[...this.kept.keys()]],
    );
  }

  private isWorthwhile(name: string, dead: number): boolean {
    return dead >= MIN_DEAD + 2 * (this.kept.get(name) ?? 0);
  }

  /**
   * Does nothing if another vacuum is at work. The table keeps its size, because cutting it would lock out claims, and one processor is
   * enough.
   */
  private async vacuum(name: string): Promise<void> {
    await rows(this.database, `vacuum (skip_locked, truncate false, parallel 0) ${name}`);
    for (const { name: counted, dead } of await this.countDead())
      if (counted === name) this.kept.set(name, dead);
  }
}
