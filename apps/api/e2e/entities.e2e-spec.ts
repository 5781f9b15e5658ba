import { TableColumn, type DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { entities } from '../src/entities.ts';
import { rows } from '../src/infra/database/rows.ts';
import { SnakeNaming } from '../src/infra/database/snake-naming.ts';
import { connectToCopy } from './harness/app.ts';

/** A column as both sides can describe it. */
interface ColumnShape {
  type: string;
  nullable: boolean;
  primary: boolean;
}

type Shapes = Record<string, Record<string, ColumnShape>>;

describe('entities', () => {
  let database: DataSource;

  beforeAll(async () => {
    database = await connectToCopy({ namingStrategy: new SnakeNaming(), entities });
  });

  afterAll(() => database.destroy());

  it('describe every table of the migrated schema, column by column', async () => {
    expect(describeEntities(database)).toEqual(await describeSchema(database));
  });

  it('would miss neither a forgotten column nor a wrong type', async () => {
    const before = await describeSchema(database);
    await database.query('alter table agent add column forgotten text');
    await database.query('alter table agent alter column version type bigint');
    const after = await describeSchema(database);
    expect(after.agent?.forgotten).toEqual({ type: 'text', nullable: true, primary: false });
    expect(after.agent?.version?.type).not.toEqual(before.agent?.version?.type);
  });
});

function describeEntities({ entityMetadatas, driver }: DataSource): Shapes {
  return Object.fromEntries(
    entityMetadatas.map(({ tableName, columns }) => [
      tableName,
      Object.fromEntries(
        columns.map((column) => [
          column.databaseName,
          {
            type: typeOf(driver, column),
            nullable: column.isNullable,
            primary: column.isPrimary,
          },
        ]),
      ),
    ]),
  );
}

/** The type as PostgreSQL writes it. */
function typeOf(driver: DataSource['driver'], column: ColumnMetadata): string {
  const type = driver.normalizeType(column);
  const { precision, scale, isArray } = column;
  const full = driver.createFullType(new TableColumn({ name: '', type, precision, scale, isArray }));
  return full.toLowerCase().replace(' array', '[]');
}

async function describeSchema(database: DataSource): Promise<Shapes> {
  const columns = await rows<ColumnShape & { table: string; column: string }>(
    database,
    `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
       not a.attnotnull as nullable, coalesce(a.attnum = any(i.indkey), false) as primary
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_index i on i.indrelid = c.oid and i.indisprimary
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migrations'`,
  );
  const shapes: Shapes = {};
  for (const { table, column, ...shape } of columns) (shapes[table] ??= {})[column] = shape;
  return shapes;
}
