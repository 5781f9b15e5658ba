import { Injectable } from '@nestjs/common';
import type { DataRow } from '@platform/contracts';
import { Not, type EntityManager } from 'typeorm';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { EmissionService } from '../../events/emission/emission.service.ts';
import { Database } from '../../infra/database/database.ts';
import { updateRow } from '../../infra/database/entity-rows.ts';
import { invalidFor, type AppError } from '../../infra/errors/app-error.ts';
import { uuidV7 } from '../../infra/runtime/uuid-v7.ts';
import { StorageQuotasService } from '../../storage/storage-quotas.service.ts';
import { RunEffectsService, type RunEffect } from '../../tasks/runs/run-effects.service.ts';
import { fillColumns } from '../tables/columns.ts';
import type { Table } from '../tables/data-tables.service.ts';
import { DataRowEntity } from './data-row.entity.ts';
import { insertRows, loadRows, lockRow, type NewRow, type TableKey } from './data-rows.store.ts';
import { newDataRow, timeOf, toDataRow } from './row-responses.ts';
import { checkRow } from './row-values.pipe.ts';

type Values = Record<string, unknown>;

/** The rows as they are now. */
export interface Written {
  rows: DataRow[];
  /** The effect had happened before: nothing was changed now. */
  isRepeated: boolean;
}

/** What an effect remembers. */
interface Effected {
  rowIds: string[];
}

/**
 * Writes rows whose values have been checked. An insert stores its events in the same transaction; updates and deletes emit
 * nothing. With an effect, the write happens once, however often it is repeated.
 */
@Injectable()
export class RowWritesService {
  constructor(
    private readonly database: Database,
    private readonly emission: EmissionService,
    private readonly effects: RunEffectsService,
    private readonly quotas: StorageQuotasService,
  ) {}

  async insert(
    caller: UserPrincipal,
    table: Table,
    added: readonly Values[],
    effect: RunEffect | null = null,
  ): Promise<Written> {
    // Nothing is counted again: the limits may be reached by now.
    if (effect !== null && (await this.effects.find(this.database.manager, effect)) !== null)
      return this.repeat(table, effect);
    const bytes = bytesOf(added);
    if (table.insertEvent !== null) await this.emission.countEmissions(caller.spaceId, added.length, bytes);
    const room = await this.quotas.open(caller.spaceId, 'ROWS');
    const newRows = added.map((values) => ({ id: uuidV7(), values }));
    const store = async (tx: EntityManager) => {
      if (!(await this.begin(tx, effect, newRows))) return null;
      room.take(bytes);
      const createdAt = await insertRows(tx, table, newRows);
      const envelopeIds = await this.emit(tx, caller, table, newRows, createdAt);
      return { envelopeIds, inserted: newRows.map((row) => newDataRow(table, row, createdAt)) };
    };
    const stored = await this.database.transaction(store, {
      committed: async (sent) => sent === null || this.isStored(newRows, effect),
    });
    if (stored === null) return this.repeat(table, effect);
    await this.emission.publish(stored.envelopeIds);
    return { rows: stored.inserted, isRepeated: false };
  }

  /** Whether an insert has happened. Its row may have been deleted since; its effect stays. */
  private async isStored([first]: readonly NewRow[], effect: RunEffect | null): Promise<boolean> {
    const { manager } = this.database;
    if (await manager.existsBy(DataRowEntity, { id: first?.id ?? '' })) return true;
    return effect !== null && (await this.effects.find(manager, effect)) !== null;
  }

  async get(table: Table, id: string): Promise<DataRow> {
    const { manager } = this.database;
    const [row] = await loadRows(manager, table, [requireUuid(id, labelOf(id))]);
    if (row === undefined) throw await this.missing(manager, table, id);
    return toDataRow(table, row);
  }

  /** Changes the given columns. Null removes a value. */
  async update(table: Table, id: string, change: Values, effect: RunEffect | null = null): Promise<Written> {
    const room = await this.quotas.open(table.spaceId, 'ROWS');
    const changed = await this.database.transaction(async (tx) => {
      if (!(await this.begin(tx, effect, [{ id }]))) return null;
      const row = await this.lock(tx, table, id);
      const columnValues = { ...row.columnValues, ...change };
      const problems = checkRow(columnValues, 'The changed row');
      if (problems.length > 0) throw invalidFor(problems);
      const growth = bytesOf([columnValues]) - bytesOf([row.columnValues]);
      if (growth > 0) room.take(growth);
      const values = { columnValues, updatedAt: () => 'clock_timestamp()' };
      return updateRow(tx, DataRowEntity, { id: row.id }, values);
    });
    if (changed === null) return this.repeat(table, effect);
    return { rows: [toDataRow(table, changed)], isRepeated: false };
  }

  async delete(table: Table, id: string, effect: RunEffect | null = null): Promise<Written> {
    return this.database.transaction(async (tx) => {
      if (!(await this.begin(tx, effect, [{ id }]))) return { rows: [], isRepeated: true };
      const row = await this.lock(tx, table, id);
      await tx.delete(DataRowEntity, { id: row.id });
      return { rows: [], isRepeated: false };
    });
  }

  /** Returns false if the effect had happened before. */
  private async begin(
    tx: EntityManager,
    effect: RunEffect | null,
    written: readonly { id: string }[],
  ): Promise<boolean> {
    const effected: Effected = { rowIds: written.map(({ id }) => id) };
    return effect === null || this.effects.record(tx, effect, effected);
  }

  /** The rows of an effect that has happened; those that have been deleted since are omitted. */
  private async repeat(table: Table, effect: RunEffect | null): Promise<Written> {
    const { manager } = this.database;
    const effected = effect && ((await this.effects.find(manager, effect)) as Effected | null);
    const found = await loadRows(manager, table, effected?.rowIds ?? []);
    return { rows: found.map((row) => toDataRow(table, row)), isRepeated: true };
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

  private async lock(
    tx: EntityManager,
    { spaceId, applicationId, tableName }: Table,
    id: string,
  ): Promise<DataRowEntity> {
    const table = { spaceId, applicationId, tableName };
    const row = await lockRow(tx, table, requireUuid(id, labelOf(id)));
    if (row) return row;
    throw await this.missing(tx, table, id);
  }

  private missing(tx: EntityManager, { spaceId }: TableKey, id: string): Promise<AppError> {
    return missingOrForeign(tx, DataRowEntity, { id, spaceId: Not(spaceId) }, labelOf(id));
  }
}

/** As they are stored. */
const bytesOf = (rows: readonly Values[]) =>
  rows.reduce((sum, values) => sum + Buffer.byteLength(JSON.stringify(values)), 0);

const labelOf = (id: string) => `Row ${id}`;
