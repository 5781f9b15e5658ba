import { rows, type Sql } from '../../infra/database/rows.ts';
import type { TableKey } from './data-rows.store.ts';
import type { Condition, RowQuery } from './row-query.ts';

/** How many rows one call looks at: a filter that few rows pass may return fewer than `limit`, even none, with a cursor. */
const LOOKED_AT = 5_000;

/** A row and the value that it is sorted by; null if that is its id. */
export interface RowPosition {
  id: string;
  value: number | string | null;
}

export interface FoundRows {
  found: RowPosition[];
  /** After which row the list continues; null at its end. */
  next: RowPosition | null;
}

/**
 * Finds a page of rows. An index provides candidates in the order of the list: that of the column which it is sorted by, of
 * a column that must equal a value, or that of the table. All other conditions are looked up for each candidate.
 */
export async function findRows(
  sql: Sql,
  table: TableKey,
  query: RowQuery,
  after: RowPosition | null,
  limit: number,
): Promise<FoundRows> {
  const statement = new Statement(table, query);
  const { candidates, others } = statement.candidates(after);
  const order = statement.order('value', 'id');
  // Scalar subqueries, because as joins they might read all values of a column.
  const conditions = [statement.isShown('c.id'), ...others.map((other) => statement.holds('c.id', other))];
  const wanted = statement.bind(limit + 1);
  // The last candidate is looked for in the same statement: rows that come or go in between would be missed, or found twice.
  const listed = await rows<RowPosition & { isLast: boolean }>(
    sql,
    `with found as materialized (
       select c.id, c.value from (${candidates} limit ${LOOKED_AT}) c
       where ${conditions.join(' and ')} order by ${order} limit ${wanted}
     )
     select id, value, false as is_last from found
     union all
     select id, value, true from (${candidates} limit 1 offset ${LOOKED_AT - 1}) c
     where (select count(*) from found) < ${wanted}
     order by is_last, ${order}`,
    statement.values,
  );
  const found = listed.flatMap(({ isLast, ...row }) => (isLast ? [] : row));
  if (found.length > limit) return { found: found.slice(0, limit), next: found[limit - 1] ?? null };
  const last = listed.find(({ isLast }) => isLast);
  return { found, next: last ? { id: last.id, value: last.value } : null };
}

/** The parts of a statement and its parameters. */
class Statement {
  readonly values: unknown[];
  private readonly direction: 'asc' | 'desc';

  constructor(
    private readonly table: TableKey,
    private readonly query: RowQuery,
  ) {
    const { applicationId, tableName } = table;
    this.values = [applicationId, tableName];
    this.direction = query.isDescending ? 'desc' : 'asc';
  }

  bind(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  order(...columns: string[]): string {
    const sorted = this.query.sortedBy === null ? columns.slice(-1) : columns;
    return sorted.map((column) => `${column} ${this.direction}`).join(', ');
  }

  /** The rows that may be in the list, in its order, and the conditions that they do not meet yet. */
  candidates(after: RowPosition | null): { candidates: string; others: Condition[] } {
    const { conditions, sortedBy } = this.query;
    if (sortedBy !== null) {
      const value = `v.${sortedBy.indexed}`;
      const own = conditions.filter(({ column }) => column === sortedBy.column);
      const where = [
        `v.column_key = ${this.keyOf(sortedBy.column)}`,
        `${value} is not null`,
        ...own.map((condition) => this.test('v', condition)),
        ...(after === null
          ? []
          : [`(${value}, v.row_id) ${this.beyond} (${this.bind(after.value)}, ${this.bind(after.id)})`]),
      ];
      return {
        candidates: this.select(
          `v.row_id as id, ${value} as value`,
          'data_value v',
          where,
          value,
          'v.row_id',
        ),
        others: conditions.filter((condition) => !own.includes(condition)),
      };
    }
    const continued = (id: string) => (after === null ? [] : [`${id} ${this.beyond} ${this.bind(after.id)}`]);
    const equal = conditions.find(({ operator }) => operator === '=');
    if (equal !== undefined) {
      const where = [
        `v.column_key = ${this.keyOf(equal.column)}`,
        this.test('v', equal),
        ...continued('v.row_id'),
      ];
      return {
        candidates: this.select('v.row_id as id, null as value', 'data_value v', where, 'v.row_id'),
        others: conditions.filter((condition) => condition !== equal),
      };
    }
    const where = [this.isOfTable(), ...continued('r.id')];
    return {
      candidates: this.select('r.id, null as value', 'data_row r', where, 'r.id'),
      others: conditions,
    };
  }

  /** Whether a row is in the table. */
  isShown(id: string): string {
    return `(select true from data_row r where r.id = ${id} and ${this.isOfTable()})`;
  }

  holds(id: string, condition: Condition): string {
    return `(select true from data_value o where o.row_id = ${id} and o.column_key = ${this.keyOf(condition.column)}
      and ${this.test('o', condition)})`;
  }

  private isOfTable(): string {
    return `r.space_id = ${this.bind(this.table.spaceId)} and r.application_id = $1 and r.table_name = $2 and r.deleted_at is null`;
  }

  private select(columns: string, from: string, where: string[], ...sorted: string[]): string {
    return `select ${columns} from ${from} where ${where.join(' and ')} order by ${this.order(...sorted)}`;
  }

  private get beyond(): '<' | '>' {
    return this.query.isDescending ? '<' : '>';
  }

  private keyOf(column: string): string {
    return `data_column_key($1, $2, ${this.bind(column)})`;
  }

  private test(alias: string, { indexed, operator, value }: Condition): string {
    const indexedValue = `${alias}.${indexed}`;
    const parameter = this.bind(value);
    if (operator !== 'prefix') return `${indexedValue} ${operator} ${parameter}`;
    return `${indexedValue} >= ${parameter} and ${indexedValue} < ${parameter} || chr(1114111)`;
  }
}
