import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { CreatedSystemKeyDto, SystemKeyPageDto } from './system-keys.dto.ts';
import { SystemKeysService } from './system-keys.service.ts';

@Access('admin', 'administer')
@Controller('applications/:identifier/system-keys')
export class SystemKeysController {
  constructor(private readonly systemKeys: SystemKeysService) {}

  /** Lists the valid system keys of an application, newest first. There are at most two. */
  @Get()
  list(
    @Caller() { spaceId }: UserPrincipal,
    @Param('identifier') identifier: string,
  ): Promise<SystemKeyPageDto> {
    return this.systemKeys.list(spaceId, identifier);
  }

  /**
   * Creates another system key; the present one stays valid, so that the application can change over. Only this response
   * contains the key itself. Returns 409 if two are valid.
   */
  @Post()
  create(
    @Audited() call: AuditedCall,
    @Param('identifier') identifier: string,
  ): Promise<CreatedSystemKeyDto> {
    return this.systemKeys.create(call, identifier);
  }

  /** Revokes a system key with immediate effect. */
  @HttpCode(204)
  @Delete(':keyId')
  revoke(
    @Audited() call: AuditedCall,
    @Param('identifier') identifier: string,
    @Param('keyId') keyId: string,
  ): Promise<void> {
    return this.systemKeys.revoke(call, identifier, keyId);
  }
}
