import pg from 'pg';
import { throwawayPostgres } from '../../../tools/postgres.mjs';
import { readConfig } from '../src/infra/config/platform-config.ts';
import { SqlPool } from '../src/infra/database/pools.ts';
import { copyTemplate } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

describe('uuid_v7()', () => {
  let client: pg.Client;

  beforeAll(async () => {
    client = new pg.Client({ connectionString: await copyTemplate() });
    await client.connect();
  });

  afterAll(() => client.end());

  async function makeId(): Promise<string> {
    const { rows } = await client.query<{ id: string }>('select uuid_v7() as id');
    return rows[0]?.id ?? '';
  }

  verifies('database.ids', 'makes ids that sort, also within one millisecond', async () => {
    const ids: string[] = [];
    while (ids.length < 1_000) ids.push(await makeId());
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  verifies('database.ids', 'makes UUIDs of version 7 that carry the time', async () => {
    const { rows } = await client.query<{ before: number; id: string; after: number }>(`
      select extract(epoch from statement_timestamp())::float8 * 1000 as before, uuid_v7() as id,
        extract(epoch from clock_timestamp())::float8 * 1000 as after`);
    const [{ before, id, after } = { before: 0, id: '', after: 0 }] = rows;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const madeAt = parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(madeAt).toBeGreaterThanOrEqual(Math.floor(before));
    expect(madeAt).toBeLessThanOrEqual(after);
  });
});

describe('connections for background work', () => {
  // A server of its own: without the setting, it ends all its connections and recovers.
  it('look into partitions after they have waited for a row, which crashes PostgreSQL 18.4 if it prunes them', async () => {
    const server = await throwawayPostgres();
    const databaseUrl = server.url;
    const config = readConfig({
      DATABASE_URL: databaseUrl,
      PLATFORM_SECRET_KEY: 'ab'.repeat(32),
      PLATFORM_DATABASE_LOCK_MS: '30000',
      PLATFORM_DATABASE_CONNECT_MS: '30000',
    });
    const background = new SqlPool('background', config);
    const other = new pg.Client({ connectionString: databaseUrl });
    other.on('error', () => undefined);
    await other.connect();
    await other.query(`
      create table waiting (id int primary key, changes int not null default 0);
      insert into waiting select n from generate_series(1, 250) n;
      create table parted (id int primary key, note text) partition by range (id);
      create table parted_1 partition of parted for values from (0) to (100);
      create table parted_2 partition of parted for values from (100) to (200);
      create table parted_3 partition of parted for values from (200) to (300);
      insert into parted select n from generate_series(1, 250) n`);

    await other.query('begin');
    await other.query('update waiting set changes = 1 where id = 1');
    // The array takes the memory that was freed when all rows were locked.
    const claimed = background.query<{ id: number }[]>(
      `with locked as materialized (select id from waiting where id = any($1::int[]) for update),
       sorted as materialized (select id from locked order by id desc),
       noted as (
         select id, array(select md5(n::text) from generate_series(1, 100 + id % 2) n) as notes from sorted offset 0
       ), updated as (
         update parted p set note = notes[1] from noted n where p.id = n.id and cardinality(notes) > 3 returning p.id
       ) select id from updated`,
      [Array.from({ length: 250 }, (_, i) => i + 1)],
    );
    claimed.catch(() => undefined);
    await eventually(async () => {
      const { rowCount } = await other.query('select from pg_locks where not granted');
      expect(rowCount).toBe(1);
    });
    await other.query('commit');
    expect(await claimed).toHaveLength(250);

    await background.end();
    await other.end();
    await server.stop();
  });
});
