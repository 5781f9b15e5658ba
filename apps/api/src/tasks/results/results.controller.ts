import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { ResultQueryDto, TaskResultListDto } from './results.dto.ts';
import { ResultsService } from './results.service.ts';

@Access('member', 'use', 'manage')
@Controller('runs/results')
export class ResultsController {
  constructor(private readonly results: ResultsService) {}

  /** Lists how the latest runs of several tasks ended, with one request for a page of tasks. */
  @Get()
  list(@Caller() caller: UserPrincipal, @Query() { taskIds }: ResultQueryDto): Promise<TaskResultListDto> {
    return this.results.list(caller, taskIds);
  }
}
