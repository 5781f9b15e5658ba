import {
  USAGE_GROUPINGS,
  USAGE_SOURCES,
  USAGE_WINDOWS,
  type AccountBalance,
  type GrantRequest,
  type Page,
  type UsageBalance,
  type UsageEntry,
  type UsageEntryKind,
  type UsageEntryQuery,
  type UsageFigures,
  type UsageGroup,
  type UsageGrouping,
  type UsageSource,
  type UsageSummary,
  type UsageSummaryQuery,
  type UsageWindow,
  type UserSummary,
} from '@platform/contracts';
import { IsIn, IsInt, IsOptional, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { IsInstant } from '../infra/http/instant.ts';
import { PageDto } from '../infra/http/page.dto.ts';
import { IsFilledText, IsText } from '../infra/http/text.ts';

export class UsageEntryQueryDto extends PageDto implements UsageEntryQuery {
  /** For admins: of one user; none: of the whole space. */
  @IsOptional()
  @IsUUID('all')
  userId?: string;

  @IsOptional()
  @IsIn(USAGE_SOURCES)
  source?: UsageSource;

  /** The name of a model. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  model?: string;

  /** ISO 8601, inclusive. */
  @IsOptional()
  @IsInstant()
  from?: string;

  /** ISO 8601, inclusive. */
  @IsOptional()
  @IsInstant()
  to?: string;
}

export class UsageSummaryQueryDto implements UsageSummaryQuery {
  /** Default 7d. */
  @IsOptional()
  @IsIn(USAGE_WINDOWS)
  window?: UsageWindow;

  /** Default day. */
  @IsOptional()
  @IsIn(USAGE_GROUPINGS)
  groupBy?: UsageGrouping;

  /** For admins: of one user; none: of the whole space. */
  @IsOptional()
  @IsUUID('all')
  userId?: string;
}

export class GrantDto implements GrantRequest {
  /** A member; none: the space. */
  @IsOptional()
  @IsUUID('all')
  userId?: string;

  @IsInt()
  @Min(1)
  @Max(1_000_000_000_000)
  tokens!: number;

  @IsOptional()
  @IsText()
  @MaxLength(500)
  note?: string;
}

export class AccountBalanceDto implements AccountBalance {
  /** Whether tokens were ever granted to it; without a grant there is no limit. */
  limited!: boolean;
  /** The sum of its entries, in tokens. */
  balance!: number;
  /** Tokens that running calls hold; a call may start while balance − held > 0. */
  held!: number;
}

export class UsageBalanceDto implements UsageBalance {
  user!: AccountBalanceDto;
  space!: AccountBalanceDto;
}

export class UsagePersonDto implements UserSummary {
  id!: string;
  email!: string;
  name!: string;
}

export class UsageEntryDto implements UsageEntry {
  id!: string;
  /** OPENING: offsets what was used before the first grant, so that the balance starts at what was granted. */
  kind!: UsageEntryKind;
  /** Whom it was charged or granted to; null: granted to the space. */
  user!: UsagePersonDto | null;
  /** Granted and offset above zero, charged below. */
  tokens!: number;
  cost!: number;
  source!: UsageSource;
  agentId!: string | null;
  turnId!: string | null;
  model!: string | null;
  promptTokens!: number;
  completionTokens!: number;
  /** The part of the prompt that the provider had cached. */
  cachedTokens!: number;
  /** The part of the completion that was reasoning. */
  reasoningTokens!: number;
  /** Counted locally, for the provider gave no figures. */
  estimated!: boolean;
  note!: string | null;
  /** Who granted it. */
  createdBy!: UsagePersonDto | null;
  createdAt!: string;
}

export class UsageEntryPageDto implements Page<UsageEntry> {
  items!: UsageEntryDto[];
  nextCursor!: string | null;
}

export class UsageFiguresDto implements UsageFigures {
  /** Number of charges. */
  calls!: number;
  /** Prompt and completion. */
  tokens!: number;
  promptTokens!: number;
  completionTokens!: number;
  cachedTokens!: number;
  reasoningTokens!: number;
  cost!: number;
}

export class UsageGroupDto extends UsageFiguresDto implements UsageGroup {
  /** UTC day (2026-01-31), model, agent id or user id; null: without agent. */
  key!: string | null;
  /** Where grouped by user. */
  user?: UsagePersonDto;
}

export class UsageSummaryDto implements UsageSummary {
  window!: UsageWindow;
  groupBy!: UsageGrouping;
  from!: string;
  to!: string;
  total!: UsageFiguresDto;
  /** Days in their order, the empty ones too; else the 200 with the most tokens, those first. */
  groups!: UsageGroupDto[];
}
