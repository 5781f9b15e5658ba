import type { DataRow } from '@platform/contracts';
import { fillColumns } from '../tables/columns.ts';
import type { DataTable } from '../tables/data-tables.store.ts';
import type { DataRowEntity } from './data-row.entity.ts';
import type { NewRow } from './data-rows.store.ts';

export function toDataRow(
  { columns }: DataTable,
  { id, createdAt, updatedAt, columnValues }: DataRowEntity,
): DataRow {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, ...times, ...fillColumns(columns, columnValues) };
}

export function newDataRow(
  { columns }: DataTable,
  { id, values }: NewRow,
  createdAt: ReadonlyMap<string, Date>,
): DataRow {
  const time = timeOf(createdAt, id);
  return { id, createdAt: time, updatedAt: time, ...fillColumns(columns, values) };
}

/** When a row of an insert was created. */
export function timeOf(createdAt: ReadonlyMap<string, Date>, id: string): string {
  const time = createdAt.get(id);
  if (time === undefined) throw new Error(`Row ${id} was not inserted`);
  return time.toISOString();
}

/** The most bytes that a row adds to those of its values: its id, its times, and the columns without a value. */
export function rowOverhead({ columns }: DataTable): number {
  return ROW_FIELDS_BYTES + JSON.stringify(fillColumns(columns, {})).length;
}

const ROW_FIELDS_BYTES = 150;
