import { ACCESS_SCOPES, type AccessScope } from '@platform/contracts';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { FreeForm } from '../infra/requests/free-form.ts';
import { SortedPageDto } from '../infra/requests/page.dto.ts';
import { IsFilledText, IsText } from '../infra/requests/text.ts';
import { CallPolicyRequestDto } from '../tools/policies/call-policy.schema.ts';
import { checkLocalTools, checkTools, checkVariables } from './agent-parts.ts';
import { pageOf } from '../infra/responses/page-of.ts';

export class AgentVariableDto {
  /** A letter or _, then up to 63 letters, digits, _ or -; not a key that `inputs` reserves. */
  name!: string;
  /** Default true. */
  required?: boolean;
  description?: string;
  default?: string;
}

class AgentToolDto {
  /** The id of a tool, or the name of a built-in one. */
  toolId!: string;
  /** Null: all methods of the tool. */
  methods!: string[] | null;
  /**
   * Whether a person approves calls first, by the names of methods; `*` stands for those that are not named. They make stricter what
   * an admin has set for the method, or replace its default.
   */
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(CallPolicyRequestDto) },
    nullable: true,
    example: { deletePet: { mode: 'ask', approvers: 'requester' } },
  })
  policies?: Record<string, CallPolicyRequestDto> | null;
}

@ApiExtraModels(CallPolicyRequestDto)
export class AgentToolStatusDto extends AgentToolDto {
  /** `unknown`: the tool, or one of the methods, does not exist. Ignored in requests. */
  status!: 'ready' | 'unknown';
}

export class LocalToolDeclarationDto {
  /** 1 to 64 letters, digits, _ or -. */
  name!: string;
  description!: string;
  /** JSON Schema of the arguments; at most 64 KB and 16 levels deep. */
  inputSchema!: Record<string, unknown>;
}

class AgentKnowledgeOptionsDto {
  /** Whether answers use the documents of the space. Default: false. */
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;

  /** How many passages an answer uses. Default: 5. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(50)
  topK?: number;
}

export class AgentSettingsDto {
  /** 0 to 2. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(2)
  temperature?: number | null;

  /** At least 1; reduced to the maximum of the model. */
  @IsOptional()
  @IsInt()
  @Min(1)
  max_tokens?: number | null;

  /** 0 to 1. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  top_p?: number | null;

  @IsOptional()
  @IsNumber()
  frequency_penalty?: number | null;

  @IsOptional()
  @IsNumber()
  presence_penalty?: number | null;
}

class AgentOptionsDto {
  @IsOptional()
  @IsText()
  @MaxLength(2000)
  description?: string;

  /** SPACE (default): every member may invoke it. RESTRICTED: only listed users; the owner and admins must be listed, too. */
  @IsOptional()
  @IsIn(ACCESS_SCOPES)
  accessScope?: AccessScope;

  /** Kept as sent, without repetitions. `/access` lists the ids that belong to no member. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(10_000)
  @IsText({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(128, { each: true })
  allowedUserIds?: string[];

  /** Describes the `{{variables}}` of the prompt. */
  @FreeForm(checkVariables)
  variables?: AgentVariableDto[];

  @FreeForm(checkTools)
  tools?: AgentToolDto[];

  /** Tools that the client runs, if it has registered them. */
  @FreeForm(checkLocalTools)
  localTools?: LocalToolDeclarationDto[];

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => AgentKnowledgeOptionsDto)
  knowledge?: AgentKnowledgeOptionsDto;

  /** Default settings for the model. A change replaces all of them. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => AgentSettingsDto)
  settings?: AgentSettingsDto;

  /** Whether the agent may ask the user to choose. Default: true. */
  @IsOptional()
  @IsBoolean()
  askUser?: boolean;
}

export class CreateAgentDto extends AgentOptionsDto {
  @IsFilledText()
  @MaxLength(120)
  name!: string;

  /** The name of a model in the catalog of the space, looked up at each call. */
  @IsText()
  @MinLength(1)
  model!: string;

  /** May contain `{{variables}}`. */
  @IsText()
  @MinLength(1)
  systemPrompt!: string;
}

export class UpdateAgentDto extends AgentOptionsDto {
  @IsOptional()
  @IsFilledText()
  @MaxLength(120)
  name?: string;

  /** The name of a model in the catalog of the space, looked up at each call. */
  @IsOptional()
  @IsText()
  @MinLength(1)
  model?: string;

  /** May contain `{{variables}}`. */
  @IsOptional()
  @IsText()
  @MinLength(1)
  systemPrompt?: string;

  /** The version that the change is based on. 409 if it is no longer the current one. */
  @IsOptional()
  @IsInt()
  @Min(1)
  version?: number;
}

export class AgentQueryDto extends SortedPageDto {
  /** `true`: only agents that the caller may invoke. */
  @IsOptional()
  @IsIn(['true', 'false'])
  accessibleOnly?: string;

  /** `true`: only agents that the caller owns. */
  @IsOptional()
  @IsIn(['true', 'false'])
  ownedOnly?: string;

  /** Only agents with this tool, of those that the caller manages: who does not may not know their tools. */
  @IsOptional()
  @IsText()
  @MinLength(1)
  @MaxLength(64)
  toolId?: string;
}

export class AgentAccessQueryDto {
  /** Explains the case of this user only. */
  @IsOptional()
  @IsString()
  @MaxLength(128)
  userId?: string;
}

export class AgentListingDto {
  id!: string;
  name!: string;
  description!: string;
  accessScope!: AccessScope;
  /** Whether the caller may invoke it. */
  accessible!: boolean;
}

class AgentKnowledgeDto {
  enabled!: boolean;
  topK!: number;
}

export class AgentDto extends AgentListingDto {
  spaceId!: string;
  ownerUserId!: string;
  model!: string;
  /** `unknown`: the catalog of the space has no model of that name. */
  modelStatus!: 'ready' | 'unknown';
  systemPrompt!: string;
  allowedUserIds!: string[];
  /** The variables of the prompt, with their declarations. */
  variables!: AgentVariableDto[];
  tools!: AgentToolStatusDto[];
  localTools!: LocalToolDeclarationDto[];
  knowledge!: AgentKnowledgeDto;
  settings!: AgentSettingsDto;
  askUser!: boolean;
  version!: number;
  createdAt!: string;
  updatedAt!: string;
}

@ApiExtraModels(AgentDto, AgentListingDto)
export class AgentPageDto {
  /** Complete for the owner and for admins. */
  @ApiProperty({
    type: 'array',
    items: { anyOf: [{ $ref: getSchemaPath(AgentDto) }, { $ref: getSchemaPath(AgentListingDto) }] },
  })
  items!: (AgentDto | AgentListingDto)[];
  nextCursor!: string | null;
}

class VersionedAgentDto extends OmitType(AgentDto, ['accessible', 'modelStatus']) {}

class AuthorDto {
  id!: string;
  name!: string;
}

class AgentVersionDto {
  version!: number;
  author!: AuthorDto | null;
  createdAt!: string;
  agent!: VersionedAgentDto;
}

export class AgentVersionPageDto extends pageOf(AgentVersionDto) {}

class AgentAccessUserDto {
  userId!: string;
  name!: string | null;
  email!: string | null;
  allowed!: boolean;
  /** The rule that decided, as one sentence. */
  reason!: string;
}

export class AgentAccessDto {
  agentId!: string;
  accessScope!: AccessScope;
  /** With RESTRICTED, the listed users; with SPACE, all members. */
  users!: AgentAccessUserDto[];
  /** Listed ids that do not belong to a member of the space. */
  unknownUserIds!: string[];
}
