import { Injectable } from '@nestjs/common';
import type { CreatedDataRows, DataRow, Page } from '@platform/contracts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { MAX_FIELD_ERRORS } from '../../infra/errors/error-message.ts';
import { formatProblem, type Problem } from '../../tasks/definition/problems.ts';
import { checkValues } from '../tables/columns.ts';
import { DataTablesService, type TablePath } from '../tables/data-tables.service.ts';
import type { DataRowQueryDto } from './data.dto.ts';
import { RowListsService } from './row-lists.service.ts';
import { parseFilter } from './row-query.ts';
import { RowWritesService } from './row-writes.service.ts';

type Values = Record<string, unknown>;

/** The rows of applications, by requests. */
@Injectable()
export class DataService {
  constructor(
    private readonly tables: DataTablesService,
    private readonly lists: RowListsService,
    private readonly writes: RowWritesService,
  ) {}

  async list(
    { spaceId }: UserPrincipal,
    path: TablePath,
    { filter, ...request }: DataRowQueryDto,
  ): Promise<Page<DataRow>> {
    const table = await this.tables.get(spaceId, path);
    return this.lists.list(table, {
      ...request,
      filter: filter === undefined ? undefined : parseFilter(filter),
    });
  }

  async create(caller: UserPrincipal, path: TablePath, values: Values): Promise<DataRow> {
    const table = await this.tables.get(caller.spaceId, path);
    assertNone(checkValues(table.columns, values, false, []));
    return only((await this.writes.insert(caller, table, [values])).rows);
  }

  /** Creates rows, all or none, each with its event. */
  async createMany(caller: UserPrincipal, path: TablePath, added: Values[]): Promise<CreatedDataRows> {
    const table = await this.tables.get(caller.spaceId, path);
    const problems: Problem[] = [];
    for (const [i, values] of added.entries()) {
      problems.push(...checkValues(table.columns, values, false, ['rows', i]));
      // A short body can have a million.
      if (problems.length >= MAX_FIELD_ERRORS) break;
    }
    assertNone(problems);
    return { items: (await this.writes.insert(caller, table, added)).rows };
  }

  async update(caller: UserPrincipal, path: TablePath, id: string, change: Values): Promise<DataRow> {
    const table = await this.tables.get(caller.spaceId, path);
    assertNone(checkValues(table.columns, change, true, []));
    return only((await this.writes.update(table, id, change)).rows);
  }

  async delete(caller: UserPrincipal, path: TablePath, id: string): Promise<void> {
    await this.writes.delete(await this.tables.get(caller.spaceId, path), id);
  }
}

function assertNone(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidFor(problems.map(formatProblem));
}

function only([row]: readonly DataRow[]): DataRow {
  if (row === undefined) throw new Error('No row was written');
  return row;
}
