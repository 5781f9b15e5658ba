import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { Access } from '../../infra/routes/access.ts';
import { DiscoveryService } from './discovery.service.ts';
import {
  ConnectionPresetsDto,
  ConnectionProviderDto,
  ConnectionProviderPageDto,
  CreateConnectionProviderDto,
  DiscoveredProviderDto,
  DiscoverProviderDto,
  UpdateConnectionProviderDto,
} from './providers.dto.ts';
import { ProvidersService } from './providers.service.ts';

@Controller('connections')
export class ProvidersController {
  constructor(
    private readonly providers: ProvidersService,
    private readonly discovery: DiscoveryService,
  ) {}

  /** Lists what is known of servers that many connect to. */
  @Get('presets')
  @Access('member', 'use', 'manage')
  presets(): ConnectionPresetsDto {
    return this.providers.presets();
  }

  /** Finds out how people sign in at an MCP server or an authorization server. Stores nothing. */
  @Post('discover')
  @HttpCode(200)
  @Access('admin', 'manage')
  discover(@Body() { url }: DiscoverProviderDto): Promise<DiscoveredProviderDto> {
    return this.discovery.discover(url);
  }

  /** Lists what people and the space can connect to, newest first. */
  @Get('providers')
  @Access('member', 'use', 'manage')
  list(@Caller() { spaceId }: UserPrincipal, @Query() query: PageDto): Promise<ConnectionProviderPageDto> {
    return this.providers.list(spaceId, query);
  }

  /** Adds a provider. */
  @Post('providers')
  @Access('admin', 'manage')
  create(
    @Audited() call: AuditedCall,
    @Body() body: CreateConnectionProviderDto,
  ): Promise<ConnectionProviderDto> {
    return this.providers.create(call, body);
  }

  /** Returns a provider, without its client secret. */
  @Get('providers/:id')
  @Access('member', 'use', 'manage')
  get(@Caller() { spaceId }: UserPrincipal, @Param('id') id: string): Promise<ConnectionProviderDto> {
    return this.providers.get(spaceId, id);
  }

  /** Changes the given fields. */
  @Patch('providers/:id')
  @Access('admin', 'manage')
  update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: UpdateConnectionProviderDto,
  ): Promise<ConnectionProviderDto> {
    return this.providers.update(call, id, body);
  }

  /** Deletes a provider and revokes its connections. Returns 409 while tools refer to it. */
  @Delete('providers/:id')
  @HttpCode(204)
  @Access('admin', 'manage')
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.providers.delete(call, id);
  }
}
