import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Caller, Audited, type AuditedCall } from '../auth/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { Access } from '../infra/http/access.ts';
import { UsageReports } from './reports.service.ts';
import {
  GrantDto,
  UsageBalanceDto,
  UsageEntryDto,
  UsageEntryPageDto,
  UsageEntryQueryDto,
  UsageSummaryDto,
  UsageSummaryQueryDto,
} from './usage.dto.ts';

@Access('member')
@Controller('usage')
export class UsageController {
  constructor(private readonly reports: UsageReports) {}

  /** The caller's own balance and the space's. */
  @Get('balance')
  balance(@Caller() caller: UserPrincipal): Promise<UsageBalanceDto> {
    return this.reports.getBalance(caller);
  }

  /** Charges and grants, the newest first: a member's own; for admins those of the space, or of one user. */
  @Get('entries')
  entries(@Caller() caller: UserPrincipal, @Query() query: UsageEntryQueryDto): Promise<UsageEntryPageDto> {
    return this.reports.listEntries(caller, query);
  }

  /** What was charged in a window: a member's own; for admins of the space, or of one user. */
  @Get('summary')
  summary(@Caller() caller: UserPrincipal, @Query() query: UsageSummaryQueryDto): Promise<UsageSummaryDto> {
    return this.reports.summarize(caller, query);
  }

  /** Gives tokens to a member or to the space; the first grant makes a limit, and the balance starts at it. */
  @Access('admin')
  @Post('grants')
  grant(@Audited() call: AuditedCall, @Body() body: GrantDto): Promise<UsageEntryDto> {
    return this.reports.createGrant(call, body);
  }
}
