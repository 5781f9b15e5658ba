import { KEY_SCOPES, type KeyScope } from '@platform/contracts';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  MaxLength,
} from 'class-validator';
import { IsFilledText } from '../../infra/requests/text.ts';
import { IsInstant } from '../../infra/requests/instant.ts';
import { SpaceNameDto } from '../principals/principals.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

export class CreateApiKeyDto {
  @IsFilledText()
  @MaxLength(200)
  name!: string;

  /**
   * What the key may do. `invoke`: run agents and models. `use`: call tools, read and write data, search documents, start
   * tasks. `manage`: change agents, tasks, tools, documents, and subscriptions. `administer`: change the space itself; only
   * admins can choose it. A key never may do more than its owner may at the time of a call.
   */
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(KEY_SCOPES.length)
  @ArrayUnique()
  @IsIn(KEY_SCOPES, { each: true })
  scopes!: KeyScope[];

  /** ISO 8601, in the future. Default: never. */
  @IsOptional()
  @IsInstant()
  expiresAt?: string;
}

class ApiKeyDto {
  id!: string;
  name!: string;
  /** The public beginning of the key, to recognize it by. */
  prefix!: string;
  /** What the key may do. */
  scopes!: KeyScope[];
  createdAt!: string;
  expiresAt!: string | null;
  lastUsedAt!: string | null;
}

export class CreatedApiKeyDto extends ApiKeyDto {
  /** The key itself; returned only once. */
  key!: string;
}

export class ApiKeyPageDto extends pageOf(ApiKeyDto) {}

class PersonalApiKeyDto extends ApiKeyDto {
  space!: SpaceNameDto;
}

export class PersonalApiKeyPageDto extends pageOf(PersonalApiKeyDto) {}
