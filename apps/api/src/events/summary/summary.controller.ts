import { Controller, Get, Query } from '@nestjs/common';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { EventSummaryDto, SummaryQueryDto } from './summary.dto.ts';
import { SummaryService } from './summary.service.ts';

@Controller('events/summary')
export class SummaryController {
  constructor(private readonly summary: SummaryService) {}

  /** Summarizes the events of the space: volume over time, success rate, and the most frequent events. */
  @Get()
  @Access('admin', 'manage')
  get(@Caller() caller: UserPrincipal, @Query() { window }: SummaryQueryDto): Promise<EventSummaryDto> {
    return this.summary.summarize(caller.spaceId, window);
  }
}
