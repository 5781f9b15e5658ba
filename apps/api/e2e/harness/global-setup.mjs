import '../../../../tools/swc-hook.mjs';
import pg from 'pg';
import { throwawayPostgres } from '../../../../tools/postgres.mjs';

/** One throwaway server for all spec files, with a migrated database that each of them copies. */
export default async function setup() {
  const server = await throwawayPostgres();
  globalThis.throwawayPostgres = server;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('create database template_platform');
  await client.end();
  const { migrate } = await import('../../src/infra/database/migrate.ts');
  await migrate(server.urlOf('template_platform'));
  process.env.TEST_DATABASE_ADMIN_URL = server.url;
}
