import { DataSource } from 'typeorm';
import { migrations } from '../src/migrations/index.ts';
import { copyTemplate } from './harness/app.ts';

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

describe('migrations', () => {
  let database: DataSource;

  beforeAll(async () => {
    database = new DataSource({
      type: 'postgres',
      url: await copyTemplate(),
      installExtensions: false,
      migrations,
      migrationsTransactionMode: 'each',
    });
    await database.initialize();
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
});
