import type { TestApp } from './app.ts';
import { eventually } from './eventually.ts';

/** Resolves once a statement waits for a lock, of a type of `pg_locks` if one is given. */
export function lockWait(app: TestApp, type: string | null = null): Promise<void> {
  return eventually(async () => {
    const waiting = await app.sql(
      `select from pg_locks l join pg_stat_activity a using (pid)
       where not l.granted and a.datname = current_database() and ($1::text is null or l.locktype = $1)`,
      [type],
    );
    if (waiting.length === 0) throw new Error('No statement waits for a lock');
  });
}
