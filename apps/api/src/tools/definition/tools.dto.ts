import {
  TOOL_REDIRECTS,
  type MethodPortLocation,
  type ToolAuth,
  type ToolAuthStatus,
  type ToolKind,
  type ToolRedirects,
} from '@platform/contracts';
import { ApiProperty, ApiPropertyOptional, PartialType, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional, MaxLength, ValidateBy } from 'class-validator';
import { ANY_JSON } from '../../infra/requests/any-json.ts';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { IsFilledText, IsText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { checkIdempotency } from '../calls/idempotency.ts';
import { CallPolicyDto, CallPolicyRequestDto } from '../policies/call-policy.schema.ts';
import { checkMethods } from './method-definition.ts';
import { serverUrlProblem } from '../http/server-url.ts';
import { authSchemas, checkAuth } from './tool-auth.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const IsServerUrl = () =>
  ValidateBy({
    name: 'isServerUrl',
    validator: {
      validate: (value) => serverUrlProblem(value) === null,
      defaultMessage: (at) => `serverUrl ${serverUrlProblem(at?.value) ?? ''}`,
    },
  });

const SCHEMA = { type: 'object', additionalProperties: true } as const;
const OPTIONAL = { required: false, nullable: true } as const;

class MethodBindingDto {
  /** A property of the input. */
  port!: string;
  in!: MethodPortLocation;
  /** Absent for a body that is one port. */
  name?: string;
  style?: string;
  explode?: boolean;
  /** The value is sent as text of this media type. */
  mediaType?: string;
  allowReserved?: boolean;
  /** Swagger 2.0: csv, ssv, tsv, pipes, multi. */
  collectionFormat?: string;
}

class MethodCacheDto {
  /** 0 (default): responses are not cached. At most 86,400. */
  ttlSeconds!: number;
}

class MethodRetryDto {
  /** Further attempts: 0 (default) to 5. */
  attempts!: number;
  /** Milliseconds before the first of them, doubled for each further one: at most 60,000. Default: 500. */
  backoffMs!: number;
}

export class ToolMethodRequestDto {
  /**
   * 1 to 64 letters, digits, _ or -; unique in the tool, also if case is ignored.
   * @example getPet
   */
  name!: string;
  @ApiProperty({ type: 'string', ...OPTIONAL })
  description?: string | null;
  /**
   * In either case; stored in lowercase.
   * @example get
   */
  httpMethod!: string;
  /** @example /pets/{id} */
  path!: string;
  /** Overrides that of the tool. The credentials of the tool are sent only to the origin of the tool. */
  @ApiProperty({ type: 'string', ...OPTIONAL })
  serverUrl?: string | null;
  /** JSON Schema of the input; at most 256 KB together with the outputSchema. */
  @ApiProperty({
    ...SCHEMA,
    example: { type: 'object', properties: { id: { type: 'string', isPort: true } } },
  })
  inputSchema!: Record<string, unknown>;
  @ApiPropertyOptional({ ...SCHEMA, nullable: true })
  outputSchema?: Record<string, unknown> | null;
  /**
   * JSON Pointers to the fields of a successful output that callers receive, within the objects and lists around them; 1 to 200.
   * In a list, the segment `-` stands for every item. Default: null, the whole output.
   */
  @ApiProperty({ type: [String], ...OPTIONAL, example: ['/id', '/tags/-/name'] })
  outputFields?: string[] | null;
  @ApiProperty({ type: [MethodBindingDto], ...OPTIONAL, example: [{ port: 'id', in: 'path', name: 'id' }] })
  bindings?: MethodBindingDto[] | null;
  @ApiProperty({ type: 'string', ...OPTIONAL })
  bodyMediaType?: string | null;
  /** Encodings of the properties of a form, as in OpenAPI. */
  @ApiPropertyOptional({ ...SCHEMA, nullable: true })
  encoding?: Record<string, unknown> | null;
  /** Default: built from httpMethod and path, such as `GET /pets/{id}`. */
  @ApiProperty({ type: 'string', ...OPTIONAL })
  operationKey?: string | null;
  /** Whether the method has side effects. Default: judged by httpMethod. */
  @ApiProperty({ type: 'boolean', ...OPTIONAL })
  acts?: boolean | null;
  /** The method as it was converted at the last import; kept for the next one. */
  @ApiPropertyOptional({ ...SCHEMA, nullable: true })
  imported?: Record<string, unknown> | null;
  @ApiProperty({ type: MethodCacheDto, ...OPTIONAL })
  cache?: MethodCacheDto | null;
  @ApiProperty({ type: MethodRetryDto, ...OPTIONAL })
  retry?: MethodRetryDto | null;
  /** 1,000 to 300,000. Default: 30,000. */
  @ApiProperty({ type: 'integer', ...OPTIONAL })
  timeoutMs?: number | null;
  /** Whether a person approves calls first. Null: the default, by which methods of HTTP tools are called without. */
  @ApiProperty({ type: CallPolicyRequestDto, ...OPTIONAL })
  policy?: CallPolicyRequestDto | null;
  /** Default true. */
  @ApiProperty({ type: 'boolean', ...OPTIONAL })
  enabled?: boolean | null;
  /** Default false. */
  @ApiProperty({ type: 'boolean', ...OPTIONAL })
  deprecated?: boolean | null;
}

export class UpdateToolMethodDto extends PartialType(ToolMethodRequestDto) {}

class ToolIdempotencyDto {
  /**
   * The header that receives the key of a call by a step of a run. Null: none is sent.
   * @example Idempotency-Key
   */
  header!: string | null;
  /** Whether the server does what it is asked to once for each key. Only then a call that was cut off is made again by itself. */
  isHonored!: boolean;
}

export class CreateToolDto {
  /**
   * Unique in the space, also if case is ignored.
   * @example Pet store
   */
  @IsFilledText()
  @MaxLength(120)
  name!: string;

  @IsOptional()
  @IsText()
  @MaxLength(10_000)
  description?: string;

  /** An HTTP API (default), or an MCP server, whose methods are imported with POST /api/tools/{id}/import. */
  @IsOptional()
  @IsIn(['http', 'mcp'])
  kind?: 'http' | 'mcp';

  /**
   * The base address of the API, or the address of the MCP server. With a new origin, the secret of auth must be sent again.
   * @example https://petstore.example.com/v1
   */
  @IsServerUrl()
  serverUrl!: string;

  /**
   * Which redirects calls follow: none, those to the same origin, or any, without credentials at another origin. Default:
   * same-origin. The response of a redirect that is not followed is the result.
   */
  @IsOptional()
  @IsIn(TOOL_REDIRECTS)
  @ApiProperty({ enum: TOOL_REDIRECTS, required: false, example: 'same-origin' })
  redirects?: ToolRedirects;

  /**
   * What calls of methods that act carry if a step of a run makes them: a key that is the same in all attempts of the run. Default:
   * the header Idempotency-Key, not honored.
   */
  @ApiProperty({ type: ToolIdempotencyDto, required: false })
  @FreeForm(checkIdempotency)
  idempotency?: ToolIdempotencyDto;

  /** Secrets are write-only. Without its secret, an update keeps the stored one; an empty one removes it. */
  @ApiPropertyOptional({ oneOf: authSchemas('request'), example: { type: 'bearer', token: 'a secret' } })
  @FreeForm(checkAuth)
  auth?: ToolAuth;

  /** At most 500. */
  @ApiProperty({ type: [ToolMethodRequestDto], required: false })
  @FreeForm((value, path) => (value === undefined ? [] : checkMethods(value, path)))
  methods?: ToolMethodRequestDto[];
}

export class UpdateToolDto extends PartialType(
  PickType(CreateToolDto, ['name', 'description', 'serverUrl', 'redirects'] as const),
) {
  /** As in POST /api/tools. */
  @ApiProperty({ type: ToolIdempotencyDto, required: false })
  @FreeForm(checkIdempotency)
  idempotency?: ToolIdempotencyDto;

  /** As in POST /api/tools. */
  @ApiPropertyOptional({ oneOf: authSchemas('request'), example: { type: 'bearer' } })
  @FreeForm(checkAuth)
  auth?: ToolAuth;
}

export class AddToolMethodsDto {
  /** 1 to 500; a tool has at most 500. */
  @ApiProperty({ type: [ToolMethodRequestDto] })
  @FreeForm((value, path) =>
    Array.isArray(value) && value.length === 0 ? [`${path} must not be empty`] : checkMethods(value, path),
  )
  methods!: ToolMethodRequestDto[];
}

export class InvokeToolDto {
  /** Must satisfy the inputSchema of the method. */
  @ApiPropertyOptional({ ...SCHEMA, example: { id: '42' } })
  @FreeForm((value, path) => (value === undefined || isObject(value) ? [] : [`${path} must be an object`]))
  input?: Record<string, unknown>;
}

export class ToolServerResponseDto {
  /** Of the decoded body. */
  bytes!: number;
  /** By their names in lower case. The secret of the tool and the values of cookies are masked. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers!: Record<string, string>;
}

export class ToolInvocationDto {
  /**
   * The HTTP status; 200 for tools of the platform. For a tool of an MCP server: 200, 422 if its result is an error, or that of
   * an error of the server.
   */
  status!: number;
  /**
   * JSON if the response is JSON, otherwise text; null if it is empty. For a file, `{attachment, name, mediaType, bytes}`: `attachment`
   * is its name in the session of an agent, otherwise null.
   */
  @ApiProperty({ anyOf: ANY_JSON, nullable: true })
  output!: unknown;
  durationMs!: number;
  cached!: boolean;
  /** For example about an output that does not match its schema. */
  warnings!: string[];
  /** Null for tools of the platform, and if the output is from the cache. */
  response!: ToolServerResponseDto | null;
}

class PendingMethodDto {
  noticedAt!: string;
  description!: string;
  @ApiProperty(SCHEMA)
  inputSchema!: Record<string, unknown>;
  @ApiProperty(SCHEMA)
  outputSchema!: Record<string, unknown>;
  acts!: boolean;
}

export class ToolMethodDto {
  name!: string;
  description!: string;
  httpMethod!: string;
  path!: string;
  serverUrl!: string | null;
  @ApiProperty(SCHEMA)
  inputSchema!: Record<string, unknown>;
  @ApiProperty(SCHEMA)
  outputSchema!: Record<string, unknown>;
  /** Null: the whole output. */
  @ApiProperty({ type: [String], nullable: true, example: ['/id', '/tags/-/name'] })
  outputFields!: string[] | null;
  bindings!: MethodBindingDto[];
  bodyMediaType!: string | null;
  @ApiProperty({ ...SCHEMA, nullable: true })
  encoding!: Record<string, unknown> | null;
  operationKey!: string;
  acts!: boolean;
  @ApiProperty({ ...SCHEMA, nullable: true })
  imported!: Record<string, unknown> | null;
  cache!: MethodCacheDto;
  retry!: MethodRetryDto;
  timeoutMs!: number;
  /** Null: the default. */
  @ApiProperty({ type: CallPolicyDto, nullable: true })
  policy!: CallPolicyDto | null;
  enabled!: boolean;
  deprecated!: boolean;
  /** What the MCP server offers in place of what was approved. Until an admin imports it, the method is not used. */
  @ApiProperty({ type: PendingMethodDto, nullable: true })
  pending!: PendingMethodDto | null;
}

class ToolListingDto {
  /** A UUID, or the name of a tool of the platform. */
  id!: string;
  name!: string;
  description!: string;
  kind!: ToolKind;
  /** Empty for a tool of the platform. */
  serverUrl!: string;
  /** Which redirects calls follow. */
  redirects!: ToolRedirects;
  idempotency!: ToolIdempotencyDto;
  /** Without its secret; `configured` tells whether there is one. */
  @ApiProperty({ oneOf: authSchemas('response'), example: { type: 'bearer', configured: true } })
  auth!: ToolAuthStatus;
  methodCount!: number;
  createdAt!: string | null;
  updatedAt!: string | null;
}

export class ToolPageDto extends pageOf(ToolListingDto) {}

export class ToolDto extends ToolListingDto {
  methods!: ToolMethodDto[];
}

export class SaveToolQueryDto {
  /**
   * `true`: after the tool is saved, ask an MCP server for its tools, or the server of an HTTP API for any response, and return
   * whether it responded.
   */
  @IsOptional()
  @IsIn(['true', 'false'])
  test?: string;
}

export class ToolTestResultDto {
  /** Whether the server responded: for an HTTP API with any status, for an MCP server with a list of its tools. */
  ok!: boolean;
  /** Milliseconds; null if there was no response. */
  latencyMs!: number | null;
  message!: string;
}

export class SavedToolDto extends ToolDto {
  /** Only with `test=true`. The tool is saved, whatever the result is. */
  test?: ToolTestResultDto;
}
