import { Injectable } from '@nestjs/common';
import { PlatformConfig } from '../config/platform-config.ts';
import { BackgroundDatabase } from '../database/database.ts';
import { PollWorker } from '../database/poll-worker.ts';
import { exactlyOne, rows } from '../database/rows.ts';

const POLL_MS = 5_000;
const RETRY_MS = 60_000;
/** A table with fewer dead rows is left to autovacuum. */
export const MIN_DEAD = 5_000;

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
    const isDue = ([name, kept]: [string, number]) =>
      this.database.hasRows(`select where ${deadRows(name)} >= ${MIN_DEAD + 2 * kept}`);
    const tables = [...this.kept];
    const areDue = await Promise.all(tables.map(isDue));
    for (const [i, [name]] of tables.entries()) if (areDue[i]) await this.vacuum(name);
    return POLL_MS;
  }

  /**
   * Does nothing if another vacuum is at work. The table keeps its size, because cutting it would lock out claims, and one processor is
   * enough.
   */
  private async vacuum(name: string): Promise<void> {
    await rows(this.database, `vacuum (skip_locked, truncate false, parallel 0) ${name}`);
    const { kept } = await exactlyOne<{ kept: number }>(
      this.database,
      `select ${deadRows(name)}::float8 as kept`,
    );
    this.kept.set(name, kept);
  }
}

/** How many rows of a table are dead, as statistics count them. */
const deadRows = (name: string): string => `pg_stat_get_dead_tuples('${name}'::regclass)`;
