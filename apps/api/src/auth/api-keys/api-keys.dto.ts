import { IsOptional, MaxLength } from 'class-validator';
import { IsFilledText } from '../../infra/requests/text.ts';
import { IsInstant } from '../../infra/requests/instant.ts';
import { SpaceNameDto } from '../principals/principals.dto.ts';

export class CreateApiKeyDto {
  @IsFilledText()
  @MaxLength(200)
  name!: string;

  /** ISO 8601, in the future. Default: never. A key that is created by API key cannot outlive that key. */
  @IsOptional()
  @IsInstant()
  expiresAt?: string;
}

export class ApiKeyDto {
  id!: string;
  name!: string;
  /** The public beginning of the key, to recognize it by. */
  prefix!: string;
  createdAt!: string;
  expiresAt!: string | null;
  lastUsedAt!: string | null;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  /** The key itself; returned only once. */
  key!: string;
}

export class ApiKeyPageDto {
  items!: ApiKeyDto[];
  nextCursor!: string | null;
}

export class PersonalApiKeyDto extends ApiKeyDto {
  space!: SpaceNameDto;
}

export class PersonalApiKeyPageDto {
  items!: PersonalApiKeyDto[];
  nextCursor!: string | null;
}
