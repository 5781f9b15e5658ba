import type { Socket } from 'node:net';
import { jest } from '@jest/globals';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { throwawayPostgres } from '../../../tools/postgres.mjs';
import { readConfig } from '../src/infra/config/platform-config.ts';
import { Connection } from '../src/infra/database/connection.ts';
import type { PreparedStatement } from '../src/infra/database/statement.ts';
import { Database } from '../src/infra/database/database.ts';
import { migrate } from '../src/infra/database/migrate.ts';
import { poolOptions, SqlPool } from '../src/infra/database/pools.ts';
import { pipelinedLast, poolOf, preparedRows } from '../src/infra/database/rows.ts';
import { MIN_DEAD, QueueVacuumWorker } from '../src/infra/queues/queue-vacuum.worker.ts';
import { OutlivedTriggers1763600000107 } from '../src/migrations/0107-outlived-triggers.ts';
import { SharedRuns1763600000108 } from '../src/migrations/0108-shared-runs.ts';
import { migrations } from '../src/migrations/index.ts';
import { startOpenAiServer } from './fixtures/openai-server.ts';
import { AgentCalls, said } from './harness/agent-calls.ts';
import { connectToCopy, copyTemplate, TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { addModel, openAiClient } from './harness/relay-calls.ts';
import { verifies } from './verifies.ts';

/** What defines the schema, except for the partitions of months, which the service adds. */
const SCHEMA = `
  select 'column' as kind, table_name || '.' || column_name as name,
    concat_ws(' ', data_type, is_nullable, column_default, generation_expression) as definition
  from information_schema.columns where table_schema = 'public' and table_name !~ '_[0-9]{6}$'
  union all
  select 'index', indexname, indexdef from pg_indexes where schemaname = 'public' and tablename !~ '_[0-9]{6}$'
  union all
  select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
  from pg_constraint
  where connamespace = 'public'::regnamespace and conrelid <> 0 and conrelid::regclass::text !~ '_[0-9]{6}$'
  union all
  select 'function', proname, pg_get_functiondef(oid)
  from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
  order by 1, 2, 3`;

describe('the tables of queues', () => {
  const ROWS = 2 * MIN_DEAD;
  let app: TestApp;
  let reader: pg.Client;

  beforeAll(async () => {
    app = await TestApp.start({ env: { PLATFORM_ROLE: 'api' } });
    reader = new pg.Client({ connectionString: app.databaseUrl });
    await reader.connect();
  });

  afterAll(async () => {
    await reader.end();
    await app.close();
  });

  /** Queues envelopes for later, and removes them. */
  async function leaveDead(): Promise<void> {
    const statements = [
      `insert into envelope_outbox (envelope_id, generation, space_id, available_at, next_publish_at)
       select uuid_v7(), 0, uuid_v7(), 'infinity', 'infinity' from generate_series(1, ${ROWS})`,
      'delete from envelope_outbox',
    ];
    for (const statement of statements)
      await app.get(DataSource).transaction(async (tx) => {
        await tx.query(statement);
        await tx.query('select pg_stat_force_next_flush()');
      });
  }

  async function count(): Promise<{ vacuums: number; dead: number }> {
    const [found] = await app.sql<{ vacuums: number; dead: number }>(
      `select pg_stat_get_vacuum_count('envelope_outbox'::regclass)::int as vacuums,
         pg_stat_get_dead_tuples('envelope_outbox'::regclass)::int as dead`,
    );
    return found ?? { vacuums: 0, dead: 0 };
  }

  const poll = () => (app.get(QueueVacuumWorker) as unknown as { poll(): Promise<number> }).poll();

  verifies('database.queues', 'are vacuumed once many of their rows are dead', async () => {
    await poll();
    expect(await count()).toEqual({ vacuums: 0, dead: 0 });
    await leaveDead();
    expect(await count()).toEqual({ vacuums: 0, dead: ROWS });
    await poll();
    expect(await count()).toEqual({ vacuums: 1, dead: 0 });
  });

  verifies('database.queues', 'are left alone while an old transaction keeps the same rows', async () => {
    await reader.query('begin isolation level repeatable read');
    await reader.query('select from envelope_outbox');
    await leaveDead();
    const { vacuums } = await count();
    for (let polls = 0; polls < 3; polls++) await poll();
    expect(await count()).toEqual({ vacuums: vacuums + 1, dead: ROWS });
    await reader.query('rollback');
    await leaveDead();
    await leaveDead();
    await poll();
    expect(await count()).toEqual({ vacuums: vacuums + 2, dead: 0 });
  });
});

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

interface PreparedPlans {
  name: string;
  generic: number;
  custom: number;
}

/** What each connection for requests has prepared. */
async function plansOf(app: TestApp): Promise<PreparedPlans[]> {
  const query =
    'select name, generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements';
  const plans: PreparedPlans[] = [];
  const pool = poolOf(app.get(DataSource));
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const client of clients) {
    plans.push(...(await client.query<PreparedPlans>(query)).rows);
    client.release();
  }
  return plans;
}

describe('prepared statements', () => {
  verifies('database.plans', 'of requests are planned for their first calls only', async () => {
    // Few connections, so that each of them executes every statement often.
    const app = await TestApp.start({ env: { PLATFORM_DATABASE_POOL: '2' } });
    const model = await startOpenAiServer();
    try {
      const agent = await AgentCalls.make(app, { baseUrl: model.url });
      await addModel(app, 'gpt', model.url);
      const relay = openAiClient(app, app.admin);
      for (let i = 0; i < 25; i++) {
        expect((await agent.json({ contents: said('Hi') })).status).toBe(200);
        const messages = [{ role: 'user' as const, content: 'Hi' }];
        await relay.chat.completions.create({ model: 'gpt', messages });
      }
      const plans = (await plansOf(app)).filter(({ generic, custom }) => generic + custom > 10);
      expect(plans.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'auth.api-keys',
          'agents.get',
          'models.named',
          'usage.limits',
          'lock_session',
        ]),
      );
      expect(plans.filter(({ custom }) => custom > 5)).toEqual([]);
    } finally {
      await app.close();
      await model.close();
    }
  });
});

describe('a connection', () => {
  interface Sent {
    stream: Socket;
    bind(portal: { statement?: string }): void;
    on(event: 'rowDescription', listener: (message: { fields: unknown[] }) => void): void;
  }
  let client: Connection;
  let sent: Sent;

  beforeEach(async () => {
    const options = { connectionString: await copyTemplate(), pipeline: true };
    client = new Connection(options);
    await client.connect();
    sent = (client as unknown as { connection: Sent }).connection;
  });

  afterEach(() => client.end());

  it('sends statements of one moment by one write', async () => {
    const written = jest.spyOn(sent.stream, '_writev');
    const results = await Promise.all([1, 2, 3].map((n) => client.query('select $1::int as n', [n])));
    expect(results.map(({ rows }) => rows as unknown)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
    expect(written).toHaveBeenCalledTimes(1);
    await client.query('select $1::int', [4]);
    expect(written).toHaveBeenCalledTimes(2);
  });

  it('reads the description of the rows of a prepared statement once', async () => {
    let descriptions = 0;
    // The settings are a statement without columns.
    sent.on('rowDescription', ({ fields }) => void (descriptions += Math.sign(fields.length)));
    const text = 'select n, n as some_number, $2::json as some_value from generate_series(1, $1::int) n';
    const select = async (count: number) => {
      const statement: PreparedStatement = { name: 'some', text, values: [count, { a_b: 1 }] };
      return (await client.query({ ...statement, namesProperties: true } as pg.QueryConfig)).rows as object[];
    };
    const row = (n: number) => ({ n, someNumber: n, someValue: { a_b: 1 } });
    expect(await select(2)).toEqual([row(1), row(2)]);
    expect(await select(0)).toEqual([]);
    expect(await Promise.all([select(1), select(3)])).toEqual([[row(1)], [row(1), row(2), row(3)]]);
    expect(descriptions).toBe(1);
    await expect(select('many' as never)).rejects.toThrow('invalid input syntax');
    expect(await select(1)).toEqual([row(1)]);
    const other: PreparedStatement = { name: 'other', text: 'select 1 as some_number', values: [] };
    expect((await client.query(other)).rows).toEqual([{ some_number: 1 }]);
    expect(descriptions).toBe(2);
  });

  it('sends the settings of kept plans once for each transaction, and again after a savepoint', async () => {
    const sendings = () => bound.mock.calls.filter(([{ statement }]) => statement === 'set_kept_plan').length;
    const seqscan = async (keepsPlan: boolean) => {
      const text = `select current_setting('enable_seqscan') as value, '${keepsPlan}'`;
      const statement: PreparedStatement = { name: `seqscan ${keepsPlan}`, text, values: [], keepsPlan };
      return (await client.query<{ value: string }>(statement)).rows[0]?.value;
    };
    const bound = jest.spyOn(sent, 'bind');
    await client.begin();
    expect(await Promise.all([seqscan(true), seqscan(true)])).toEqual(['off', 'off']);
    expect(await seqscan(true)).toBe('off');
    expect(sendings()).toBe(1);
    await client.query('savepoint a');
    expect(await seqscan(true)).toBe('off');
    await client.query('rollback to savepoint a');
    expect(await seqscan(true)).toBe('off');
    await client.query('COMMIT');
    expect(await seqscan(false)).toBe('on');
    expect(sendings()).toBe(3);
    expect([await seqscan(true), await seqscan(true), await seqscan(false)]).toEqual(['off', 'off', 'on']);
    expect(sendings()).toBe(5);
    await client.begin();
    await client.query('savepoint b');
    expect([await seqscan(false), await seqscan(true)]).toEqual(['on', 'off']);
    await client.query('rollback to savepoint b');
    expect([await seqscan(false), await seqscan(true)]).toEqual(['on', 'off']);
    await client.query('ROLLBACK');
    expect([await seqscan(false), await seqscan(true)]).toEqual(['on', 'off']);
    expect(sendings()).toBe(8);
  });
});

describe('a transaction that begins with its first statement', () => {
  let database: Database;

  beforeAll(async () => {
    const config = readConfig({
      DATABASE_URL: await copyTemplate(),
      PLATFORM_SECRET_KEY: 'ab'.repeat(32),
    });
    database = await new Database({ ...poolOptions('api', config), poolSize: 1 }).initialize();
    await database.query('create table note (text text)');
  });

  beforeEach(() => database.query('truncate note'));

  afterAll(() => database.destroy());

  const notes = async () =>
    (await database.query<{ text: string }[]>('select text from note order by text')).map(({ text }) => text);
  const note = (sql: Pick<DataSource, 'query'>, text: string) =>
    sql.query('insert into note (text) values ($1)', [text]);

  verifies('database.transactions', 'commits what it did, without a savepoint that failed', async () => {
    const result = await database.transaction(async (tx) => {
      await note(tx, 'first');
      const failed = tx.transaction(async (inner) => {
        await note(inner, 'undone');
        throw new Error('Only this');
      });
      await expect(failed).rejects.toThrow('Only this');
      await note(tx, 'last');
      return 'result';
    });
    expect([result, await notes()]).toEqual(['result', ['first', 'last']]);
  });

  verifies('database.transactions', 'stores nothing if it fails', async () => {
    const failed = database.transaction(async (tx) => {
      await note(tx, 'first');
      throw new Error('Failed');
    });
    await expect(failed).rejects.toThrow('Failed');
    expect(await notes()).toEqual([]);
  });

  const prepared = (tx: EntityManager, text: string) =>
    preparedRows(tx, 'note', 'insert into note (text) values ($1)', [text]);

  verifies('database.transactions', 'sends COMMIT with its last statements', async () => {
    await database.transaction(async (tx) => {
      await note(tx, 'first');
      await pipelinedLast(tx, prepared(tx, 'second'), prepared(tx, 'third'));
      const later = Promise.allSettled([
        prepared(tx, 'fourth'),
        note(tx, 'fifth'),
        tx.transaction(() => Promise.resolve()),
      ]);
      for (const { status } of await later) expect(status).toBe('rejected');
    });
    expect(await notes()).toEqual(['first', 'second', 'third']);
  });

  verifies('database.transactions', 'stores nothing if one of its last statements fails', async () => {
    await database.query('alter table note add constraint short check (length(text) < 9)');
    const failed = database.transaction((tx) =>
      pipelinedLast(tx, prepared(tx, 'first'), prepared(tx, 'very long'), prepared(tx, 'third')),
    );
    await expect(failed).rejects.toThrow('violates check constraint "short"');
    expect(await notes()).toEqual([]);
    await database.transaction((tx) => note(tx, 'later'));
    expect(await notes()).toEqual(['later']);
  });

  /** Lets the next BEGIN fail, while what is sent with it succeeds. */
  async function failBegin(): Promise<void> {
    const pool = poolOf(database);
    const client = await pool.connect();
    const query = client.query.bind(client) as (text: unknown, ...rest: unknown[]) => unknown;
    client.query = ((text: unknown, ...rest: unknown[]) =>
      query(text === 'START TRANSACTION' ? 'START NOTHING' : text, ...rest)) as pg.PoolClient['query'];
    client.release();
  }

  verifies('database.transactions', 'executes nothing if BEGIN fails', async () => {
    await failBegin();
    await expect(database.transaction((tx) => note(tx, 'first'))).rejects.toThrow('syntax error');
    expect(await notes()).toEqual([]);
    // On another connection.
    await database.transaction((tx) => note(tx, 'later'));
    expect(await notes()).toEqual(['later']);
  });

  verifies(
    'database.transactions',
    'executes nothing but what was sent with a BEGIN that failed',
    async () => {
      await failBegin();
      const failed = database.transaction(async (tx) => {
        await prepared(tx, 'first');
        await note(tx, 'second');
      });
      await expect(failed).rejects.toThrow('syntax error');
      expect(await notes()).toEqual(['first']);
    },
  );

  verifies(
    'database.transactions',
    'create the partition that an insert lacks, and repeat the work',
    async () => {
      await database.query(
        `do $$ declare p record; begin
         for p in select inhrelid::regclass as name from pg_inherits where inhparent = 'delivery'::regclass
         loop execute 'drop table ' || p.name; end loop; end $$`,
      );
      const attempts: string[] = [];
      const store = async (tx: EntityManager) => {
        attempts.push('attempt');
        await tx.query(
          `insert into delivery (envelope_id, subscription_id, generation, outcome)
         values (uuid_v7(), gen_random_uuid(), 1, 'TASK_DISABLED')`,
        );
      };
      await database.transaction(store);
      expect(attempts).toHaveLength(2);
      expect(await database.query('select from delivery')).toHaveLength(1);
    },
  );
});

describe('migrations', () => {
  let database: DataSource;

  beforeAll(async () => {
    database = await connectToCopy({ migrations, migrationsTransactionMode: 'each' });
  });

  afterAll(() => database.destroy());

  it('can all be undone, leave nothing behind, and lead to the same schema again', async () => {
    const before: unknown[] = await database.query(SCHEMA);
    expect(before.length).toBeGreaterThan(300);
    for (let left = migrations.length; left > 0; left--) await database.undoLastMigration();
    const remaining: { name: string }[] = await database.query(SCHEMA);
    expect(remaining.filter(({ name }) => !name.startsWith('migrations') && !name.startsWith('PK_'))).toEqual(
      [],
    );
    await database.runMigrations();
    expect(await database.query(SCHEMA)).toEqual(before);
  });

  verifies('database.migrations', 'do not keep others from the tables that they wait for', async () => {
    // The first has a transaction for the whole migration, the second one for each statement.
    for (const [migration, held, wanted] of [
      [OutlivedTriggers1763600000107, 'envelope_replay', 'turn'],
      [SharedRuns1763600000108, 'delivery', 'delivery'],
    ] as const) {
      const url = await copyTemplate();
      const source = await new DataSource({ type: 'postgres', url, migrations }).initialize();
      for (let n = migrations.length; n > migrations.indexOf(migration); n--)
        await source.undoLastMigration();
      const longReader = source.createQueryRunner();
      await longReader.startTransaction();
      await longReader.query(`select from ${held}`);

      const migrated = migrate(url);
      await eventually(async () => {
        const waiting = await source.query<unknown[]>(
          'select from pg_locks where not granted and relation = $1::regclass',
          [held],
        );
        expect(waiting).toHaveLength(1);
      });
      await source.query(`select from ${wanted}`);
      await longReader.rollbackTransaction();
      await migrated;

      expect(await source.query('select from migrations')).toHaveLength(migrations.length);
      await longReader.release();
      await source.destroy();
    }
  });
});
