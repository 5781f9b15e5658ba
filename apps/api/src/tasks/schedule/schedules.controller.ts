import { Controller, Get, Param, Query } from '@nestjs/common';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { Access } from '../../infra/routes/access.ts';
import { ScheduledTimePageDto } from './schedules.dto.ts';
import { SchedulesService } from './schedules.service.ts';

@Access('member', 'use', 'manage')
@Controller('tasks')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  /** Lists the due times of a task in the last seven days that have passed, the latest first, and what became of them. */
  @Get(':id/schedule/times')
  listTimes(
    @Caller() caller: UserPrincipal,
    @Param('id') id: string,
    @Query() query: PageDto,
  ): Promise<ScheduledTimePageDto> {
    return this.schedules.listTimes(caller, id, query);
  }
}
