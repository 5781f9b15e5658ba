import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength, MinLength, ValidateBy } from 'class-validator';
import { isUuid } from '../../infra/requests/ids.ts';
import { IsEmailAddress, UserSummaryDto, SpaceSummaryDto } from '../principals/principals.dto.ts';
import { PersonalApiKeyPageDto } from '../api-keys/api-keys.dto.ts';

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

export class LoginDto {
  @IsEmailAddress()
  @MaxLength(320)
  email!: string;

  @IsString()
  @MaxLength(1000)
  password!: string;
}

export class RefreshDto {
  /** Switches to another space of the same user. */
  @IsOptional()
  @IsString()
  spaceId?: string;
}

export class ChangePasswordDto {
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

class PersonStateDto {
  /** Whether an administrator chose the password. Until it is changed, every other call returns 403. */
  passwordTemporary!: boolean;
  /** Whether the person may create people and add anyone to a space without an invitation. */
  installationAdmin!: boolean;
  canCreateSpaces!: boolean;
}

export class SignInResponseDto extends PersonStateDto {
  accessToken!: string;
  /** How many seconds the access token is valid. */
  expiresIn!: number;
  user!: UserSummaryDto;
  space!: SpaceSummaryDto;
  /** The first 200. GET /api/spaces lists all of them. */
  spaces!: SpaceSummaryDto[];
}

export class MeDto extends PersonStateDto {
  user!: UserSummaryDto;
  space!: SpaceSummaryDto;
  /** The first 200. GET /api/spaces lists all of them. */
  spaces!: SpaceSummaryDto[];
  credential!: 'api-key' | 'access-token';
}

export class ChangePasswordResponseDto extends UserSummaryDto {
  /** The API keys that are still valid, in all spaces. */
  apiKeys!: PersonalApiKeyPageDto;
}
