import type { CreatedDataRows, DataRow, DataRowQuery } from '@platform/contracts';
import type { ApiPromise, PagePromise } from '../api-promise.ts';
import type { HttpClient, RequestOptions } from '../http.ts';
import { path } from '../url.ts';

/** A table of an application. */
export interface DataTable {
  applicationIdentifier: string;
  table: string;
}

/** The rows of the tables that applications declare. An insert can emit an event. */
export class DataResource {
  private readonly http: HttpClient;

  constructor(http: HttpClient) {
    this.http = http;
  }

  /** Lists rows, newest first unless `sort` says otherwise. A filter may return fewer than `limit`, even none, with a cursor. */
  list(
    table: DataTable,
    { filter, ...query }: DataRowQuery = {},
    options?: RequestOptions,
  ): PagePromise<DataRow> {
    const conditions = filter && JSON.stringify(filter);
    return this.http.list(rowsPath(table), { ...query, filter: conditions }, options);
  }

  create(table: DataTable, values: Record<string, unknown>, options?: RequestOptions): ApiPromise<DataRow> {
    return this.http.post(rowsPath(table), values, options);
  }

  /** Creates up to 10,000 rows: all of them, each with its event, or none. They are returned in the same order. */
  createMany(
    table: DataTable,
    rows: Record<string, unknown>[],
    options?: RequestOptions,
  ): ApiPromise<CreatedDataRows> {
    return this.http.post(`${rowsPath(table)}/batch`, { rows }, options);
  }

  /** Changes the columns that are present. */
  update(
    table: DataTable,
    rowId: string,
    values: Record<string, unknown>,
    options?: RequestOptions,
  ): ApiPromise<DataRow> {
    return this.http.patch(`${rowsPath(table)}${path`/${rowId}`}`, values, options);
  }

  delete(table: DataTable, rowId: string, options?: RequestOptions): ApiPromise<void> {
    return this.http.delete(`${rowsPath(table)}${path`/${rowId}`}`, options);
  }
}

function rowsPath({ applicationIdentifier, table }: DataTable): string {
  return path`/api/data/${applicationIdentifier}/${table}/rows`;
}
