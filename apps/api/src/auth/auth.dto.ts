import {
  ROLES,
  type AddMemberRequest,
  type AddedMember,
  type ApiKey,
  type AuditEntry,
  type ChangePasswordRequest,
  type CreateApiKeyRequest,
  type CreateSpaceRequest,
  type CreatedApiKey,
  type LoginRequest,
  type Me,
  type Member,
  type Page,
  type RefreshRequest,
  type Role,
  type SignedIn,
  type SpaceSummary,
  type UpdateMemberRequest,
  type UserSummary,
} from '@platform/contracts';
import { IsIn, IsOptional, IsString, IsUUID, Matches, MaxLength, MinLength } from 'class-validator';
import { PageDto } from '../infra/http/page.dto.ts';
import { IsFilledText } from '../infra/http/text.ts';
import { IsInstant } from './instant.ts';

const IsEmailAddress = () =>
  Matches(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { message: '$property must be an e-mail address' });

export class LoginDto implements LoginRequest {
  @IsEmailAddress()
  @MaxLength(320)
  email!: string;

  @IsString()
  @MaxLength(1000)
  password!: string;
}

export class RefreshDto implements RefreshRequest {
  /** Switches to another space of the same user. */
  @IsOptional()
  @IsString()
  spaceId?: string;
}

export class ChangePasswordDto implements ChangePasswordRequest {
  @IsString()
  @MaxLength(1000)
  currentPassword!: string;

  /** At least 10 characters. */
  @IsString()
  @MinLength(10)
  @MaxLength(1000)
  newPassword!: string;
}

export class CreateSpaceDto implements CreateSpaceRequest {
  @IsFilledText()
  @MaxLength(200)
  name!: string;
}

export class AddMemberDto implements AddMemberRequest {
  @IsEmailAddress()
  @MaxLength(320)
  email!: string;

  /** Of a new person; none: the part of the e-mail before the @. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  name?: string;

  @IsIn(ROLES)
  role!: Role;

  /** Of a new person, at least 10 characters; none: a temporary one is made and answered once. */
  @IsOptional()
  @IsString()
  @MinLength(10)
  @MaxLength(1000)
  password?: string;
}

export class UpdateMemberDto implements UpdateMemberRequest {
  @IsIn(ROLES)
  role!: Role;
}

export class CreateApiKeyDto implements CreateApiKeyRequest {
  @IsFilledText()
  @MaxLength(200)
  name!: string;

  /** ISO 8601, in the future; none: the key never expires. */
  @IsOptional()
  @IsInstant()
  expiresAt?: string;
}

export class AuditQueryDto extends PageDto {
  /** Id of the user who acted. */
  @IsOptional()
  @IsUUID('all')
  actor?: string;

  /** Such as member.add. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(100)
  action?: string;

  /** ISO 8601, inclusive. */
  @IsOptional()
  @IsInstant()
  from?: string;

  /** ISO 8601, inclusive. */
  @IsOptional()
  @IsInstant()
  to?: string;
}

export class UserSummaryDto implements UserSummary {
  id!: string;
  email!: string;
  name!: string;
}

export class SpaceSummaryDto implements SpaceSummary {
  id!: string;
  name!: string;
  /** The caller's role in it. */
  role!: Role;
}

export class SignedInDto implements SignedIn {
  accessToken!: string;
  /** Seconds the access token is good for. */
  expiresIn!: number;
  user!: UserSummaryDto;
  space!: SpaceSummaryDto;
  spaces!: SpaceSummaryDto[];
}

export class MeDto implements Me {
  user!: UserSummaryDto;
  space!: SpaceSummaryDto;
  spaces!: SpaceSummaryDto[];
  credential!: 'api-key' | 'access-token';
}

export class SpacePageDto implements Page<SpaceSummary> {
  items!: SpaceSummaryDto[];
  nextCursor!: string | null;
}

export class MemberDto implements Member {
  user!: UserSummaryDto;
  role!: Role;
  createdAt!: string;
}

export class MemberPageDto implements Page<Member> {
  items!: MemberDto[];
  nextCursor!: string | null;
}

export class AddedMemberDto implements AddedMember {
  user!: UserSummaryDto;
  role!: Role;
  /** Shown this once, and only when the person is new and no password was given. */
  temporaryPassword?: string;
}

export class ApiKeyDto implements ApiKey {
  id!: string;
  name!: string;
  /** The public beginning of the key, for recognising it. */
  prefix!: string;
  createdAt!: string;
  expiresAt!: string | null;
  lastUsedAt!: string | null;
}

export class CreatedApiKeyDto extends ApiKeyDto implements CreatedApiKey {
  /** The whole key, shown this once. */
  key!: string;
}

export class ApiKeyPageDto implements Page<ApiKey> {
  items!: ApiKeyDto[];
  nextCursor!: string | null;
}

export class AuditEntryDto implements AuditEntry {
  id!: string;
  at!: string;
  actor!: UserSummaryDto | null;
  action!: string;
  targetType!: string;
  targetId!: string | null;
  details!: Record<string, unknown>;
  requestId!: string | null;
}

export class AuditPageDto implements Page<AuditEntry> {
  items!: AuditEntryDto[];
  nextCursor!: string | null;
}
