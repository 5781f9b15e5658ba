import {
  ROLES,
  type AddMemberRequest,
  type AddedMember,
  type ApiKey,
  type AuditEntry,
  type ChangePasswordRequest,
  type ChangePasswordResponse,
  type CreateApiKeyRequest,
  type CreateSpaceRequest,
  type CreatedApiKey,
  type Invitation,
  type InvitedMember,
  type LoginRequest,
  type Me,
  type Member,
  type Page,
  type UserState,
  type PersonalApiKey,
  type ReceivedInvitation,
  type RefreshRequest,
  type Role,
  type SignInResponse,
  type SpaceSummary,
  type UpdateMemberRequest,
  type UserSummary,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import {
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  MaxLength,
  MinLength,
  ValidateBy,
} from 'class-validator';
import { isUuid } from '../infra/http/ids.ts';
import { PageDto } from '../infra/http/page.dto.ts';
import { IsFilledText } from '../infra/http/text.ts';
import { IsInstant } from '../infra/http/instant.ts';

const IsEmailAddress = () =>
  Matches(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { message: '$property must be an e-mail address' });

const MOST_REVOKED = 1000;

const IsAllOrIds = () =>
  ValidateBy({
    name: 'isAllOrIds',
    validator: {
      validate: (value) =>
        value === 'all' || (Array.isArray(value) && value.length <= MOST_REVOKED && value.every(isUuid)),
      defaultMessage: () => `$property must be "all" or a list of at most ${MOST_REVOKED} ids`,
    },
  });

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

  /** Ids of your API keys in any space, or "all". */
  @IsOptional()
  @IsAllOrIds()
  @ApiProperty({
    oneOf: [{ type: 'array', items: { type: 'string' }, maxItems: MOST_REVOKED }, { enum: ['all'] }],
    required: false,
  })
  revokeApiKeys?: string[] | 'all';
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

  /** The name of a new person. Default: the part of the email address before the @. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  name?: string;

  @IsIn(ROLES)
  role!: Role;

  /**
   * Of a new person, at least 10 characters, from an installation administrator alone; none: a temporary one is
   * made and answered once.
   */
  @IsOptional()
  @IsString()
  @MinLength(10)
  @MaxLength(1000)
  password?: string;
}

export class UpdateMemberDto implements UpdateMemberRequest {
  @IsOptional()
  @IsIn(ROLES)
  role?: Role;

  /** Whether the person may create people and add anyone without an invitation. Only such a person may change it. */
  @IsOptional()
  @IsBoolean()
  installationAdmin?: boolean;
}

export class CreateApiKeyDto implements CreateApiKeyRequest {
  @IsFilledText()
  @MaxLength(200)
  name!: string;

  /** ISO 8601, in the future. Default: never. A key that is created by API key cannot outlive that key. */
  @IsOptional()
  @IsInstant()
  expiresAt?: string;
}

export class AuditQueryDto extends PageDto {
  /** Id of the user who acted. */
  @IsOptional()
  @IsUUID('all')
  actor?: string;

  /** For example member.add. */
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
  /** The caller's role in the space. */
  role!: Role;
}

class PersonStateDto implements UserState {
  /** Whether an administrator chose the password. Until it is changed, every other call returns 403. */
  passwordTemporary!: boolean;
  /** Whether the person may create people and add anyone to a space without an invitation. */
  installationAdmin!: boolean;
  canCreateSpaces!: boolean;
}

export class SignedInDto extends PersonStateDto implements SignInResponse {
  accessToken!: string;
  /** How many seconds the access token is valid. */
  expiresIn!: number;
  user!: UserSummaryDto;
  space!: SpaceSummaryDto;
  /** The first 200. GET /api/spaces lists all of them. */
  spaces!: SpaceSummaryDto[];
}

export class MeDto extends PersonStateDto implements Me {
  user!: UserSummaryDto;
  space!: SpaceSummaryDto;
  /** The first 200. GET /api/spaces lists all of them. */
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
  installationAdmin!: boolean;
  createdAt!: string;
}

export class MemberPageDto implements Page<Member> {
  items!: MemberDto[];
  nextCursor!: string | null;
}

export class AddedMemberDto implements AddedMember {
  user!: UserSummaryDto;
  role!: Role;
  /** Returned only once, and only if the person is new and no password was given. */
  temporaryPassword?: string;
}

export class InvitedMemberDto implements InvitedMember {
  /** The same whether or not the email address has an account. */
  @ApiProperty({ enum: ['invited'] })
  status!: 'invited';
}

export class InvitationDto implements Invitation {
  id!: string;
  email!: string;
  role!: Role;
  invitedBy!: UserSummaryDto;
  createdAt!: string;
}

export class InvitationPageDto implements Page<Invitation> {
  items!: InvitationDto[];
  nextCursor!: string | null;
}

export class SpaceNameDto {
  id!: string;
  name!: string;
}

export class ReceivedInvitationDto implements ReceivedInvitation {
  id!: string;
  space!: SpaceNameDto;
  role!: Role;
  invitedBy!: UserSummaryDto;
  createdAt!: string;
}

export class ReceivedInvitationPageDto implements Page<ReceivedInvitation> {
  items!: ReceivedInvitationDto[];
  nextCursor!: string | null;
}

export class ApiKeyDto implements ApiKey {
  id!: string;
  name!: string;
  /** The public beginning of the key, to recognize it by. */
  prefix!: string;
  createdAt!: string;
  expiresAt!: string | null;
  lastUsedAt!: string | null;
}

export class CreatedApiKeyDto extends ApiKeyDto implements CreatedApiKey {
  /** The key itself; returned only once. */
  key!: string;
}

export class ApiKeyPageDto implements Page<ApiKey> {
  items!: ApiKeyDto[];
  nextCursor!: string | null;
}

export class PersonalApiKeyDto extends ApiKeyDto implements PersonalApiKey {
  space!: SpaceNameDto;
}

export class PersonalApiKeyPageDto implements Page<PersonalApiKey> {
  items!: PersonalApiKeyDto[];
  nextCursor!: string | null;
}

export class ChangedPasswordDto extends UserSummaryDto implements ChangePasswordResponse {
  /** The API keys that are still valid, in all spaces. */
  apiKeys!: PersonalApiKeyPageDto;
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
