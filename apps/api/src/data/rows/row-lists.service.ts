import { Injectable } from '@nestjs/common';
import type { DataRow, Page } from '@platform/contracts';
import { Database } from '../../infra/database/database.ts';
import { Cursors, type Position } from '../../infra/requests/cursors.ts';
import type { Table } from '../tables/data-tables.service.ts';
import { countWithin, loadRows } from './data-rows.store.ts';
import { findRows, type FoundRows, type RowPosition } from './row-lists.store.ts';
import { parseRowQuery, type GivenQuery, type QueryNames } from './row-query.ts';
import { rowOverhead, toDataRow } from './row-responses.ts';

/** A page of rows. */
export interface RowListRequest extends GivenQuery {
  limit: number;
  cursor?: string | undefined;
  /** As JSON; a page has at least one row. Default: no limit. */
  maxBytes?: number;
  /** How the caller calls the filter and the order. */
  names?: QueryNames;
}

/** Lists rows. A filter that few rows pass may return fewer than `limit`, even none, with a cursor. */
@Injectable()
export class RowListsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async list(
    table: Table,
    { limit, cursor, maxBytes, names, ...given }: RowListRequest,
  ): Promise<Page<DataRow>> {
    const { filter, sort } = given;
    const query = parseRowQuery(table.columns, given, names);
    const list = { rowsOf: [table.applicationId, table.tableName], filter, sort };
    const after = toRowPosition(this.cursors.decode(cursor, list));
    const page = await findRows(this.database, table, query, after, limit);
    const { found, next } = maxBytes === undefined ? page : await this.cut(table, page, maxBytes);
    const ids = found.map(({ id }) => id);
    const loaded = await loadRows(this.database.manager, table, ids);
    const items = loaded.map((row) => toDataRow(table, row));
    return { items, nextCursor: next && this.cursors.encode(toCursorPosition(next), list) };
  }

  /** Leaves the rest of the rows to the next page. */
  private async cut(table: Table, { found, next }: FoundRows, maxBytes: number): Promise<FoundRows> {
    const ids = found.map(({ id }) => id);
    const fitting = await countWithin(this.database, ids, rowOverhead(table), maxBytes);
    const kept = found.slice(0, Math.max(1, fitting));
    return { found: kept, next: kept.length < found.length ? (kept.at(-1) ?? null) : next };
  }
}

/** The id comes first; a list that is sorted by id has nothing else. */
function toCursorPosition({ id, value }: RowPosition): Position {
  return value === null ? [id] : [id, value];
}

function toRowPosition(position: Position | null): RowPosition | null {
  if (position === null) return null;
  const [id, value = null] = position;
  return { id: String(id), value };
}
