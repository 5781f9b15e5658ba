import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Access } from '../../infra/routes/access.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { ApiKeysService } from './api-keys.service.ts';
import { ApiKeyPageDto, CreateApiKeyDto, CreatedApiKeyDto } from './api-keys.dto.ts';
import { Caller, Audited, type AuditedCall } from '../principals/caller.decorator.ts';
import type { UserPrincipal } from '../principals/principal.ts';

@Access('member', 'manage')
@Controller('api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  /** Lists the caller's own keys in the space, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<ApiKeyPageDto> {
    return this.keys.list(caller, query);
  }

  /** Creates a key. Only this response contains the key itself. No API key can create one. */
  @Access('member')
  @Post()
  create(@Audited() call: AuditedCall, @Body() body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    return this.keys.create(call, body);
  }

  /** Revokes a key with immediate effect. */
  @HttpCode(204)
  @Delete(':id')
  revoke(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.keys.revoke(call, id);
  }
}
