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

  /**
   * Lists what admins did in the space, and what people did to tasks and runs, newest first. Entries about runs are kept as
   * long as runs.
   */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: AuditQueryDto): Promise<AuditPageDto> {
    return this.audit.list(caller.spaceId, query);
  }
}
