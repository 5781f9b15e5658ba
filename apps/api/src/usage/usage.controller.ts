import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { Caller, Audited, type AuditedCall } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { ReportsService } from './reports.service.ts';
import {
  GrantDto,
  UsageBalanceDto,
  UsageEntryDto,
  UsageEntryPageDto,
  UsageEntryQueryDto,
  UsageSummaryDto,
  UsageSummaryQueryDto,
} from './usage.dto.ts';

@Access('member', 'invoke', 'administer')
@Controller('usage')
export class UsageController {
  constructor(private readonly reports: ReportsService) {}

  /** Returns the balance of the caller and of the space. */
  @Get('balance')
  balance(@Caller() caller: UserPrincipal): Promise<UsageBalanceDto> {
    return this.reports.getBalance(caller);
  }

  /** Lists charges and grants, newest first. Members see their own; admins see those of the space, or of one user. */
  @Get('entries')
  entries(@Caller() caller: UserPrincipal, @Query() query: UsageEntryQueryDto): Promise<UsageEntryPageDto> {
    return this.reports.listEntries(caller, query);
  }

  /** Sums the charges in a window. Members see their own; admins see those of the space, or of one user. */
  @Get('summary')
  summary(@Caller() caller: UserPrincipal, @Query() query: UsageSummaryQueryDto): Promise<UsageSummaryDto> {
    return this.reports.summarize(caller, query);
  }

  /** Grants tokens to a member or to the space. The first grant creates the limit, and the balance starts at its amount. */
  @Access('admin', 'administer')
  @Post('grants')
  grant(@Audited() call: AuditedCall, @Body() body: GrantDto): Promise<UsageEntryDto> {
    return this.reports.createGrant(call, body);
  }
}
