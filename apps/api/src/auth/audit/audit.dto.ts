import { IsOptional, IsUUID, MaxLength } from 'class-validator';
import { TimedPageDto } from '../../infra/requests/page.dto.ts';
import { IsFilledText } from '../../infra/requests/text.ts';
import { UserSummaryDto } from '../principals/principals.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

export class AuditQueryDto extends TimedPageDto {
  /** Id of the user who acted. */
  @IsOptional()
  @IsUUID('all')
  actor?: string;

  /** For example member.add. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(100)
  action?: string;
}

class AuditEntryDto {
  id!: string;
  at!: string;
  /** Null if the log does not name who acted. */
  actor!: UserSummaryDto | null;
  /** An action that this version records, or one that another version has recorded. */
  action!: string;
  targetType!: string;
  targetId!: string | null;
  details!: Record<string, unknown>;
  requestId!: string | null;
}

export class AuditPageDto extends pageOf(AuditEntryDto) {}
