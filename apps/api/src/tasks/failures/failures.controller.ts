import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { FailureQueryDto, FailuresDto } from './failures.dto.ts';
import { FailuresService } from './failures.service.ts';

@Access('member', 'use', 'manage')
@Controller('runs/failures')
export class FailuresController {
  constructor(private readonly failures: FailuresService) {}

  /** Groups the failed runs of the caller's tasks, for admins of all tasks of the space, that nobody has dismissed. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() query: FailureQueryDto): Promise<FailuresDto> {
    return this.failures.list(caller, query);
  }
}
