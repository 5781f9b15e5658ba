import { DataSource } from 'typeorm';
import { migrations } from '../../migrations/index.ts';

const MIGRATION_LOCK = 720_001;

/**
 * Brings the database to the present schema; migrations are the only place where it is made.
 * Safe with several processes at once: the first migrates, the others wait for it.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    installExtensions: false,
    migrations,
    migrationsTransactionMode: 'each',
    // One connection holds the lock, the other migrates, both for as long as it takes.
    poolSize: 2,
    extra: { connectionTimeoutMillis: 10_000, application_name: 'platform-migration' },
  });
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await source.runMigrations();
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } finally {
    await lock.release();
    await source.destroy();
  }
}
