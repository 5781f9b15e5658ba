import { Body, Controller, Get, Put } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { SpaceStorageDto, StorageQuotasDto } from './storage.dto.ts';
import { StorageService } from './storage.service.ts';

@Access('admin', 'administer')
@Controller('storage')
export class StorageController {
  constructor(private readonly storage: StorageService) {}

  /** Returns how many bytes the space stores, by event and table, and its quotas. */
  @Get()
  getStorage(@Caller() caller: UserPrincipal): Promise<SpaceStorageDto> {
    return this.storage.get(caller.spaceId);
  }

  /**
   * Replaces the quotas of the space. Whatever would exceed one is refused with 409 `QUOTA_EXCEEDED`; what is stored stays. A
   * quota is effective within ten seconds. Events of about the last minute may not be counted yet, so it can be exceeded by those.
   */
  @Put('quotas')
  setStorageQuotas(@Audited() call: AuditedCall, @Body() body: StorageQuotasDto): Promise<SpaceStorageDto> {
    return this.storage.setQuotas(call, body);
  }
}
