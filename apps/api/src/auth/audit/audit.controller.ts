import { Controller, Get, Query } from '@nestjs/common';
import { Access } from '../../infra/routes/access.ts';
import { AuditService } from './audit.service.ts';
import { AuditPageDto, AuditQueryDto } from './audit.dto.ts';
import { Caller } from '../principals/caller.decorator.ts';
import type { UserPrincipal } from '../principals/principal.ts';

@Access('admin', 'administer')
@Controller('audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  /** Lists what the admins of the space did, newest first. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: AuditQueryDto): Promise<AuditPageDto> {
    return this.audit.list(caller.spaceId, query);
  }
}
