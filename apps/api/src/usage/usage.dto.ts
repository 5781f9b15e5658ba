import {
  USAGE_GROUPINGS,
  USAGE_SOURCES,
  USAGE_WINDOWS,
  type UsageEntryKind,
  type UsageGrouping,
  type UsageSource,
  type UsageWindow,
} from '@platform/contracts';
import { IsIn, IsInt, IsOptional, IsUUID, Max, MaxLength, Min } from 'class-validator';
import { TimedPageDto } from '../infra/requests/page.dto.ts';
import { IsFilledText, IsText } from '../infra/requests/text.ts';
import { pageOf } from '../infra/responses/page-of.ts';

export class UsageEntryQueryDto extends TimedPageDto {
  /** Only for admins: entries of one user. Default: of the entire space. */
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
}

export class UsageSummaryQueryDto {
  /** Default: 7d. */
  @IsOptional()
  @IsIn(USAGE_WINDOWS)
  window?: UsageWindow;

  /** Default: day. */
  @IsOptional()
  @IsIn(USAGE_GROUPINGS)
  groupBy?: UsageGrouping;

  /** Only for admins: entries of one user. Default: of the entire space. */
  @IsOptional()
  @IsUUID('all')
  userId?: string;
}

export class GrantDto {
  /** The member who receives the tokens. Default: the space. */
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

export class AccountBalanceDto {
  /** Whether the account has ever received a grant. Without a grant there is no limit. */
  limited!: boolean;
  /** Sum of the entries of the account, in tokens. */
  balance!: number;
  /** Tokens reserved by running calls. A call can start while balance − held > 0. */
  held!: number;
}

export class UsageBalanceDto {
  user!: AccountBalanceDto;
  space!: AccountBalanceDto;
}

export class UsagePersonDto {
  id!: string;
  email!: string;
  name!: string;
}

export class UsageEntryDto {
  id!: string;
  /** OPENING offsets usage before the first grant, so that the balance starts at the granted amount. */
  kind!: UsageEntryKind;
  /** The user who was charged or received the grant. Null for a grant to the space. */
  user!: UsagePersonDto | null;
  /** Positive for grants and openings, negative for charges. */
  tokens!: number;
  /** Null if the model had no price. */
  cost!: number | null;
  source!: UsageSource;
  agentId!: string | null;
  turnId!: string | null;
  model!: string | null;
  promptTokens!: number;
  completionTokens!: number;
  /** Prompt tokens that the provider read from its cache. */
  cachedTokens!: number;
  /** Completion tokens that were used for reasoning. */
  reasoningTokens!: number;
  /** The provider reported no usage, and the service counted the tokens itself. */
  estimated!: boolean;
  note!: string | null;
  /** The user who created the grant. */
  createdBy!: UsagePersonDto | null;
  createdAt!: string;
}

export class UsageEntryPageDto extends pageOf(UsageEntryDto) {}

export class UsageFiguresDto {
  /** Number of charges. */
  calls!: number;
  /** Prompt and completion tokens. */
  tokens!: number;
  promptTokens!: number;
  completionTokens!: number;
  cachedTokens!: number;
  reasoningTokens!: number;
  /** Of the charges whose model had a price. Null if none had one. */
  cost!: number | null;
}

export class UsageGroupDto extends UsageFiguresDto {
  /** UTC day (2026-01-31), model, agent id, or user id. Null for calls without an agent. */
  key!: string | null;
  /** Only if grouped by user. */
  user?: UsagePersonDto;
}

export class UsageSummaryDto {
  window!: UsageWindow;
  groupBy!: UsageGrouping;
  from!: string;
  to!: string;
  total!: UsageFiguresDto;
  /** All days in chronological order, or the 200 groups with the most tokens, in descending order. */
  groups!: UsageGroupDto[];
}
