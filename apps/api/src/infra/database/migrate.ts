import { DataSource } from 'typeorm';
import { migrations } from '../../migrations/index.ts';

const MIGRATION_LOCK = 720_001;

/**
 * Migrates the database to the current schema, which is defined only by migrations.
 * Several processes can call it at once: one migrates, and the others wait.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    installExtensions: false,
    migrations,
    migrationsTransactionMode: 'each',
    // One connection holds the lock and the other migrates, both without a time limit.
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
