import { setTimeout as delay } from 'node:timers/promises';
import {
  DataSource,
  EventSubscriber,
  type EntitySubscriberInterface,
  type TransactionStartEvent,
} from 'typeorm';
import { migrations } from '../../migrations/index.ts';

const MIGRATION_LOCK = 720_001;

/** What processes of the version before want of a table waits behind the migration that waits for the table. */
const LOCK_TIMEOUT_MS = 2_000;
const RETRY_AFTER_MS = 500;
/** About two minutes. */
const MAX_TRIES = 48;

/** lock_not_available, and deadlock_detected: the migration was rolled back, and others went on. */
const IN_THE_WAY = ['55P03', '40P01'];

@EventSubscriber()
class BoundedLocks implements EntitySubscriberInterface {
  async afterTransactionStart({ queryRunner }: TransactionStartEvent): Promise<void> {
    await queryRunner.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  }
}

/**
 * Migrates the database to the current schema, which is defined only by migrations. Several processes can call it at once:
 * one migrates, and the others wait. Processes of the version before may go on: a migration that does not get a lock within
 * seconds, or would deadlock with them, steps aside and is repeated, for about two minutes of waiting.
 */
export async function migrate(databaseUrl: string): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url: databaseUrl,
    installExtensions: false,
    migrations,
    migrationsTransactionMode: 'each',
    subscribers: [BoundedLocks],
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
    await lock.query('set local lock_timeout = 0');
    await lock.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await runMigrations(source);
    await lock.commitTransaction();
  } finally {
    await lock.release();
    await source.destroy();
  }
}

/** What has been migrated stays so; the migration that others were in the way of is repeated. */
async function runMigrations(source: DataSource): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await source.runMigrations();
      return;
    } catch (error) {
      const { code } = error as { code?: string };
      if (!IN_THE_WAY.includes(code ?? '') || tries === MAX_TRIES) throw error;
    }
    await delay(RETRY_AFTER_MS);
  }
}
