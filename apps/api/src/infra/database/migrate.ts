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
    // A pooler such as PgBouncer keeps a connection only for the time of a transaction.
    await lock.startTransaction();
    await lock.query('set local idle_in_transaction_session_timeout = 0');
    await lock.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await source.runMigrations();
    await lock.commitTransaction();
  } finally {
    await lock.release();
    await source.destroy();
  }
}
