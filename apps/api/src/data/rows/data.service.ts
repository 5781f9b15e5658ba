import { Injectable } from '@nestjs/common';
import type { CreatedDataRows, DataRow, Page } from '@platform/contracts';
import { Not, type EntityManager } from 'typeorm';
import { ApplicationIdentitiesService } from '../../auth/applications/application-identities.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { EmissionService } from '../../events/emission/emission.service.ts';
import { Database } from '../../infra/database/database.ts';
import { updateRow } from '../../infra/database/entity-rows.ts';
import { invalidFor, notFound } from '../../infra/errors/app-error.ts';
import { Cursors, type Position } from '../../infra/requests/cursors.ts';
import { isText } from '../../infra/requests/text.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { formatProblem, type Problem } from '../../tasks/definition/problems.ts';
import { checkValues, fillColumns } from '../tables/columns.ts';
import { DataRowEntity } from './data-row.entity.ts';
import { insertRows, loadRows, lockRow, type NewRow, type TableKey } from './data-rows.store.ts';
import { findTable, type DataTable } from '../tables/data-tables.store.ts';
import type { DataRowQueryDto } from './data.dto.ts';
import { findRows, type RowPosition } from './row-lists.store.ts';
import { parseRowQuery } from './row-query.ts';

/** The path of a table: the identifier of its application, and its name. */
export interface TablePath {
  identifier: string;
  table: string;
}

type Table = TableKey & DataTable;
type Values = Record<string, unknown>;

/** The rows of applications. An insert stores its event in the same transaction; updates and deletes emit nothing. */
@Injectable()
export class DataService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identities: ApplicationIdentitiesService,
    private readonly emission: EmissionService,
  ) {}

  /** Lists rows. A filter that few rows pass may return fewer than `limit`, even none, with a cursor. */
  async list(
    { spaceId }: UserPrincipal,
    path: TablePath,
    { limit, cursor, filter, sort }: DataRowQueryDto,
  ): Promise<Page<DataRow>> {
    const table = await this.getTable(spaceId, path);
    const query = parseRowQuery(table.columns, { filter, sort });
    const list = { rowsOf: [table.applicationId, table.tableName], filter, sort };
    const { found, next } = await findRows(
      this.database,
      table,
      query,
      toRowPosition(this.cursors.decode(cursor, list)),
      limit,
    );
    const loaded = await loadRows(
      this.database.manager,
      table,
      found.map(({ id }) => id),
    );
    const items = loaded.map((row) => toDataRow(table, row));
    return { items, nextCursor: next && this.cursors.encode(toCursorPosition(next), list) };
  }

  async create(caller: UserPrincipal, path: TablePath, values: Values): Promise<DataRow> {
    const table = await this.getTable(caller.spaceId, path);
    assertNone(checkValues(table.columns, values, false, []));
    const [row] = await this.insert(caller, table, [values]);
    if (row === undefined) throw new Error('The row was not inserted');
    return row;
  }

  /** Creates rows, all or none, each with its event. */
  async createMany(caller: UserPrincipal, path: TablePath, added: Values[]): Promise<CreatedDataRows> {
    const table = await this.getTable(caller.spaceId, path);
    assertNone(added.flatMap((values, i) => checkValues(table.columns, values, false, ['rows', i])));
    return { items: await this.insert(caller, table, added) };
  }

  /** Changes the given columns. Null removes a value. */
  async update(caller: UserPrincipal, path: TablePath, id: string, change: Values): Promise<DataRow> {
    const table = await this.getTable(caller.spaceId, path);
    assertNone(checkValues(table.columns, change, true, []));
    return this.database.transaction(async (tx) => {
      const row = await this.lock(tx, table, id);
      const columnValues = { ...row.columnValues, ...change };
      const changed = await updateRow(
        tx,
        DataRowEntity,
        { id: row.id },
        { columnValues, updatedAt: () => 'clock_timestamp()' },
      );
      return toDataRow(table, changed);
    });
  }

  async delete(caller: UserPrincipal, path: TablePath, id: string): Promise<void> {
    const table = await this.getTable(caller.spaceId, path);
    await this.database.transaction(async (tx) => {
      const row = await this.lock(tx, table, id);
      await updateRow(tx, DataRowEntity, { id: row.id }, { deletedAt: () => 'clock_timestamp()' });
    });
  }

  private async insert(caller: UserPrincipal, table: Table, added: readonly Values[]): Promise<DataRow[]> {
    if (table.insertEvent !== null) this.emission.countEmissions(caller.spaceId, added.length);
    const newRows = added.map((values) => ({ id: uuidV7(), values }));
    const store = async (tx: EntityManager) => {
      const createdAt = await insertRows(tx, table, newRows);
      const envelopeIds = await this.emit(tx, caller, table, newRows, createdAt);
      return { envelopeIds, result: newRows.map((row) => newDataRow(table, row, createdAt)) };
    };
    const committed = () => this.database.manager.existsBy(DataRowEntity, { id: newRows[0]?.id ?? '' });
    const { envelopeIds, result } = await this.database.transaction(store, { committed });
    await this.emission.publish(envelopeIds);
    return result;
  }

  /** Emits the event of each row; returns the ids of the envelopes. */
  private async emit(
    tx: EntityManager,
    { spaceId, userId, causationRunId }: UserPrincipal,
    { applicationId, columns, insertEvent }: Table,
    newRows: readonly NewRow[],
    createdAt: ReadonlyMap<string, Date>,
  ): Promise<string[]> {
    if (insertEvent === null) return [];
    const events = newRows.map(({ id, values }) => ({
      spaceId,
      applicationId,
      event: insertEvent,
      payload: { id, createdAt: timeOf(createdAt, id), ...fillColumns(columns, values) },
      actorUserId: userId,
      causationRunId,
    }));
    return this.emission.emitWithin(tx, events);
  }

  private async getTable(spaceId: string, { identifier, table: name }: TablePath): Promise<Table> {
    const application = await this.identities.find(this.database, spaceId, identifier);
    if (!application?.installed) throw notFound(`Application ${identifier} is not installed`);
    const owner = { spaceId, applicationId: application.id };
    const table = isText(name) ? await findTable(this.database, owner, name) : null;
    if (!table) throw notFound(`Application ${identifier} has no table ${name}`);
    return { ...owner, tableName: name, ...table };
  }

  private async lock(
    tx: EntityManager,
    { spaceId, applicationId, tableName }: Table,
    id: string,
  ): Promise<DataRowEntity> {
    const label = `Row ${id}`;
    const row = await lockRow(tx, { spaceId, applicationId, tableName }, requireUuid(id, label));
    if (row) return row;
    throw await missingOrForeign(tx, DataRowEntity, { id, spaceId: Not(spaceId) }, label);
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

function assertNone(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidFor(problems.map(formatProblem));
}

function newDataRow(table: Table, { id, values }: NewRow, createdAt: ReadonlyMap<string, Date>): DataRow {
  const time = timeOf(createdAt, id);
  return { id, createdAt: time, updatedAt: time, ...fillColumns(table.columns, values) };
}

function toDataRow({ columns }: Table, { id, createdAt, updatedAt, columnValues }: DataRowEntity): DataRow {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, ...times, ...fillColumns(columns, columnValues) };
}

function timeOf(createdAt: ReadonlyMap<string, Date>, id: string): string {
  const time = createdAt.get(id);
  if (time === undefined) throw new Error(`Row ${id} was not inserted`);
  return time.toISOString();
}
