import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { DataRow } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { AppError, invalidFor } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import type { Action, ActionContext } from '../../tasks/definition/action.registry.ts';
import { formatProblem } from '../../tasks/definition/problems.ts';
import { checkName, RunsSteps } from '../../tasks/definition/step-kinds.ts';
import { StepSchema } from '../../tasks/definition/step.schema.ts';
import { MAX_VALUE_BYTES } from '../../tasks/runs/run-budget.ts';
import { RowListsService } from '../rows/row-lists.service.ts';
import { rowOverhead } from '../rows/row-responses.ts';
import { RowWritesService, type Written } from '../rows/row-writes.service.ts';
import { checkValues } from '../tables/columns.ts';
import { DataTablesService, type Table } from '../tables/data-tables.service.ts';
import {
  checkColumns,
  checkLimit,
  checkOperation,
  checkRows,
  checkWritten,
  formatIn,
  MAX_ROWS,
  OPERATIONS,
  rowsOf,
  STEP_NAMES,
  type DataOperation,
} from './data-step.ts';

const DEFAULT_ROWS = 20;
const MAX_ORDER = 100;
const MAX_CURSOR = 1_000;
/** Of the rows of one step, as JSON: what is around them fits into the output of a step as well. */
const MAX_BYTES = MAX_VALUE_BYTES - 4_096;

/** The output of a step that works with rows. */
export interface DataStepOutput {
  /** The rows that were found, or those that were written as they are now; none after a delete. */
  rows: DataRow[];
  /** After which `find` continues; null at the end. */
  nextCursor?: string | null;
  /** Another attempt of the run has written the rows: nothing was written now. */
  duplicate?: true;
}

class DataStepDto extends StepSchema {
  @ApiProperty({ enum: ['data'] })
  kind!: 'data';
  applicationIdentifier!: string;
  table!: string;
  operation!: DataOperation;
  /**
   * For `find`, the conditions of a list of rows: `{"status": "paid", "total": {"$gte": 10}}`. For `get`, `update`, and `delete`,
   * the id of the row: `{"id": "…"}`. May contain templates.
   */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true })
  where?: Record<string, unknown> | null;
  /** For `find`: `createdAt` or a column, with `-` in front for descending order. Default: `-createdAt`. */
  @ApiPropertyOptional({ type: 'string', maxLength: MAX_ORDER, nullable: true })
  order?: string | null;
  /** For `find`. Default: 20. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_ROWS, nullable: true })
  limit?: number | null;
  /** For `find`: the `nextCursor` of the page before. May contain templates. */
  @ApiPropertyOptional({ type: 'string', maxLength: MAX_CURSOR, nullable: true })
  cursor?: string | null;
  /** For `insert`, a row or 1 to 100 rows; for `update`, the columns to change: null removes a value. May contain templates. */
  @ApiPropertyOptional({
    nullable: true,
    oneOf: [
      { type: 'object', additionalProperties: true },
      {
        type: 'array',
        minItems: 1,
        maxItems: MAX_ROWS,
        items: { type: 'object', additionalProperties: true },
      },
    ],
  })
  values?: Record<string, unknown> | Record<string, unknown>[] | null;
}

type DataContext = ActionContext<DataStepDto>;

const checkOptional = (limit: number) => (value: unknown) => {
  if (value === undefined || value === null) return null;
  return isText(value) && value !== '' && value.length <= limit
    ? null
    : `must be a text of 1 to ${limit} characters`;
};

const checkCursor = checkOptional(MAX_CURSOR);

function checkWhere(value: unknown): string | null {
  return value === undefined || value === null || isObject(value) ? null : 'must be an object';
}

/** Reads and writes rows of the tables of applications, as the owner of the task. */
@Injectable()
@RunsSteps<DataStepDto>({
  kind: 'data',
  schema: DataStepDto,
  fields: {
    applicationIdentifier: checkName,
    table: checkName,
    operation: (value) =>
      OPERATIONS.some((one) => one === value) ? null : `must be one of ${OPERATIONS.join(', ')}`,
    where: checkWhere,
    order: checkOptional(MAX_ORDER),
    limit: checkLimit,
    cursor: checkCursor,
    values: checkWritten,
  },
  input: ['where', 'cursor', 'values'],
  acts: false,
  hasEffects: ({ operation }) => operation !== 'find' && operation !== 'get',
  codeName: 'platform.data',
  checkInManifest: (step, { identifier, tables }) => {
    const problems = checkOperation(step);
    if (step.applicationIdentifier !== identifier || typeof step.table !== 'string') return problems;
    const columns = tables.get(step.table);
    if (columns === undefined)
      return [
        ...problems,
        { path: ['table'], text: `must name a table of the manifest; it has no ${step.table}` },
      ];
    return problems.length > 0 ? problems : checkColumns(columns, step);
  },
})
export class DataAction implements Action<DataStepDto> {
  constructor(
    private readonly tables: DataTablesService,
    private readonly lists: RowListsService,
    private readonly writes: RowWritesService,
  ) {}

  async validate(
    _sql: Sql,
    { spaceId }: { spaceId: string },
    step: DataStepDto,
    path: string,
  ): Promise<string[]> {
    const given = step as object as JsonObject;
    const problems = checkOperation(given);
    if (problems.length > 0) return formatIn(path, problems);
    try {
      const table = await this.tables.get(spaceId, pathOf(step));
      return formatIn(path, checkColumns(table.columns, given));
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return [`${path}: ${error.message}`];
      throw error;
    }
  }

  example(_spaceId: string, { operation, values, where }: DataStepDto): object {
    const ids = { id: '00000000-0000-0000-0000-000000000000', ...(operation === 'insert' ? {} : where) };
    return {
      rows: operation === 'delete' ? [] : rowsOf(values).map(({ row }) => ({ ...ids, ...(row as object) })),
    };
  }

  async run(context: DataContext): Promise<DataStepOutput> {
    const { step, spaceId } = context;
    const table = await this.tables.get(spaceId, pathOf(step));
    const { id: given } = step.where ?? {};
    const id = typeof given === 'string' ? given : '';
    switch (step.operation) {
      case 'find':
        return this.find(table, step);
      case 'get':
        return { rows: [await this.writes.get(table, id)] };
      case 'insert':
        return this.insert(context, table);
      case 'update':
        assertFits(table, step, true);
        return toOutput(await this.writes.update(table, id, (step.values ?? {}) as JsonObject, context));
      case 'delete':
        return toOutput(await this.writes.delete(table, id, context));
    }
  }

  private async find(table: Table, { where, order, limit, cursor }: DataStepDto): Promise<DataStepOutput> {
    // What its template has become.
    const problem = checkCursor(cursor);
    if (problem !== null) throw invalidFor([`cursor ${problem}`]);
    const { items, nextCursor } = await this.lists.list(table, {
      filter: where,
      sort: order,
      cursor: cursor ?? undefined,
      limit: limit ?? DEFAULT_ROWS,
      maxBytes: MAX_BYTES,
      names: STEP_NAMES,
    });
    return { rows: items, nextCursor };
  }

  /** Refuses what could be stored but not returned. */
  private async insert(context: DataContext, table: Table): Promise<DataStepOutput> {
    const { owner, step, isTest } = context;
    assertFits(table, step, false);
    const added = rowsOf(step.values).map(({ row }) => row);
    const bytes = Buffer.byteLength(JSON.stringify(added)) + added.length * rowOverhead(table);
    if (bytes > MAX_BYTES)
      throw invalidFor([
        `values must have at most ${MAX_BYTES} bytes as rows, with all columns; it has ${bytes}`,
      ]);
    // The row is an effect of a test, but its event would start other tasks.
    const into = isTest ? { ...table, insertEvent: null } : table;
    return toOutput(await this.writes.insert(owner, into, added, context));
  }
}

function pathOf({ applicationIdentifier, table }: DataStepDto): { identifier: string; table: string } {
  return { identifier: applicationIdentifier, table };
}

function assertFits({ columns }: Table, { values }: DataStepDto, isChange: boolean): void {
  const problems = rowsOf(values).flatMap(({ row, path }) => checkValues(columns, row, isChange, path));
  const found = [...checkRows(values), ...problems.map(formatProblem)];
  if (found.length > 0) throw invalidFor(found);
}

function toOutput({ rows, isRepeated }: Written): DataStepOutput {
  return { rows, ...(isRepeated && { duplicate: true as const }) };
}
