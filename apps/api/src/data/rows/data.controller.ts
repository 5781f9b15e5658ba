import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiParam } from '@nestjs/swagger';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import {
  CreateDataRowsDto,
  CreatedDataRowsDto,
  DataRowDto,
  DataRowPageDto,
  DataRowQueryDto,
} from './data.dto.ts';
import { DataService } from './data.service.ts';
import { RowValuesPipe } from './row-values.pipe.ts';

const VALUES = { type: 'object', additionalProperties: true, example: { total: 12.5 } } as const;

@Access('member', 'use')
@ApiParam({ name: 'identifier', type: String, description: 'The identifier of the application.' })
@ApiParam({ name: 'table', type: String, description: 'The name of the table in the manifest.' })
@Controller('data/:identifier/:table/rows')
export class DataController {
  constructor(private readonly data: DataService) {}

  /**
   * Lists the rows of a table, newest first unless `sort` says otherwise. One call looks at up to 5,000 rows: a filter that few
   * of them pass may return fewer than `limit`, even none, with a cursor.
   */
  @Get()
  list(
    @Caller() caller: UserPrincipal,
    @Param('identifier') identifier: string,
    @Param('table') table: string,
    @Query() query: DataRowQueryDto,
  ): Promise<DataRowPageDto> {
    return this.data.list(caller, { identifier, table }, query);
  }

  /** Creates a row from the values of its columns. If the table emits an event, it is stored in the same transaction. */
  @Post()
  @BodyLimit('event')
  @ApiBody({ schema: VALUES })
  create(
    @Caller() caller: UserPrincipal,
    @Param('identifier') identifier: string,
    @Param('table') table: string,
    @Body(RowValuesPipe) values: object,
  ): Promise<DataRowDto> {
    return this.data.create(caller, { identifier, table }, values as Record<string, unknown>);
  }

  /** Creates rows in one transaction: all of them, each with its event, or none. */
  @Post('batch')
  @BodyLimit('values')
  createMany(
    @Caller() caller: UserPrincipal,
    @Param('identifier') identifier: string,
    @Param('table') table: string,
    @Body() { rows }: CreateDataRowsDto,
  ): Promise<CreatedDataRowsDto> {
    return this.data.createMany(caller, { identifier, table }, rows);
  }

  /** Changes the given columns of a row; null removes a value. Emits nothing. */
  @Patch(':rowId')
  @BodyLimit('event')
  @ApiBody({ schema: VALUES })
  update(
    @Caller() caller: UserPrincipal,
    @Param('identifier') identifier: string,
    @Param('table') table: string,
    @Param('rowId') rowId: string,
    @Body(RowValuesPipe) change: object,
  ): Promise<DataRowDto> {
    return this.data.update(caller, { identifier, table }, rowId, change as Record<string, unknown>);
  }

  /** Deletes a row. Emits nothing. */
  @Delete(':rowId')
  @HttpCode(204)
  delete(
    @Caller() caller: UserPrincipal,
    @Param('identifier') identifier: string,
    @Param('table') table: string,
    @Param('rowId') rowId: string,
  ): Promise<void> {
    return this.data.delete(caller, { identifier, table }, rowId);
  }
}
