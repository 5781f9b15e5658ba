import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { Access } from '../../infra/routes/access.ts';
import { ConnectionTestsService } from './connection-tests.service.ts';
import {
  ConnectionDetailDto,
  ConnectionDto,
  ConnectionPageDto,
  ConnectionTestDto,
  CreateConnectionDto,
  UpdateConnectionDto,
} from './connections.dto.ts';
import { ConnectionsService } from './connections.service.ts';

@Access('member', 'manage')
@Controller('connections')
export class ConnectionsController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly tests: ConnectionTestsService,
  ) {}

  /** Lists the caller's own connections and those of the space, newest first, without their secrets. */
  @Get()
  @Access('member', 'use', 'manage')
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<ConnectionPageDto> {
    return this.connections.list(caller, query);
  }

  /** Connects with a secret, or the space with tokens of the platform itself. A person's own replaces the earlier one. */
  @Post()
  create(@Audited() call: AuditedCall, @Body() body: CreateConnectionDto): Promise<ConnectionDto> {
    return this.connections.create(call, body);
  }

  /** Returns a connection, and which tools would stop without it. */
  @Get(':id')
  @Access('member', 'use', 'manage')
  get(@Caller() caller: UserPrincipal, @Param('id') id: string): Promise<ConnectionDetailDto> {
    return this.connections.get(caller, id);
  }

  /** Renames a connection. */
  @Patch(':id')
  update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: UpdateConnectionDto,
  ): Promise<ConnectionDto> {
    return this.connections.rename(call, id, body.name);
  }

  /** Renews the access if it is due, and calls the test address of the provider. */
  @Post(':id/test')
  @HttpCode(200)
  test(@Audited() call: AuditedCall, @Param('id') id: string): Promise<ConnectionTestDto> {
    return this.tests.test(call, id);
  }

  /** Revokes a connection, at the provider as well if it offers that. No call can use it any more. */
  @Delete(':id')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.connections.revoke(call, id);
  }
}
