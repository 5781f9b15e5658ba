import type { EnvelopeStatus } from '@platform/contracts';
import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { IsNotEmpty, IsOptional, MaxLength } from 'class-validator';
import { ErrorBodyDto } from '../../infra/errors/error.dto.ts';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { isText, IsText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { isIdempotencyKey, MAX_KEY } from './idempotency-key.ts';

const MAX_NAME = 200;
const MAX_EVENTS = 500;

export const checkPayload = (value: unknown, path: string): string[] =>
  isObject(value) ? [] : [`${path} must be an object`];

export class EmitDto {
  /** The identifier of the calling application. */
  @ApiProperty({ example: 'order-desk' })
  @IsText()
  @IsNotEmpty()
  @MaxLength(MAX_NAME)
  appIdentifier!: string;

  /** The name of an event that the application has registered. */
  @ApiProperty({ example: 'order.created' })
  @IsText()
  @IsNotEmpty()
  @MaxLength(MAX_NAME)
  event!: string;

  /** Must satisfy the schema of the event. At most 256 KB and 32 levels. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { orderId: 'A-1001', amount: 40 } })
  @FreeForm(checkPayload)
  payload!: Record<string, unknown>;

  /** Recommended, for example an order number: emitting again with the same key records nothing. At most 255 characters. */
  @ApiProperty({ example: 'A-1001', nullable: true })
  @IsOptional()
  @IsText()
  @IsNotEmpty()
  @MaxLength(MAX_KEY)
  idempotencyKey?: string;
}

/**
 * Returns the request that a value is, at a small part of what decorators cost; null if that takes a closer look, which may
 * still accept it.
 */
export function readPlainEmit(value: unknown): EmitDto | null {
  if (!isObject(value)) return null;
  const { appIdentifier, event, payload, idempotencyKey, ...others } = value;
  if (Object.keys(others).length > 0) return null;
  if (!isName(appIdentifier) || !isName(event) || !isObject(payload)) return null;
  if (idempotencyKey === undefined) return { appIdentifier, event, payload };
  return isIdempotencyKey(idempotencyKey) ? { appIdentifier, event, payload, idempotencyKey } : null;
}

function isName(value: unknown): value is string {
  return isText(value) && value !== '' && value.length <= MAX_NAME;
}

export class EmitResponseDto {
  /** Also the `id` of the trigger. */
  envelopeId!: string;

  status!: EnvelopeStatus;

  /** Whether the key was used before; the envelope is then the first one. */
  duplicate!: boolean;

  /** False if the key was used before with a different payload. */
  samePayload!: boolean;

  emittedAt!: string;
}

const checkEvents = (value: unknown, path: string): string[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_EVENTS
    ? []
    : [`${path} must be an array of 1 to ${MAX_EVENTS} events`];

export class EmitBatchDto {
  /** Each is checked on its own, like the body of `emit`. */
  @ApiProperty({ type: [EmitDto], minItems: 1, maxItems: MAX_EVENTS })
  @FreeForm(checkEvents)
  events!: unknown[];
}

/** Why one event of a batch was refused. */
export class EmissionErrorDto extends ErrorBodyDto {
  /** After how many seconds it is worth another try. */
  retryAfter?: number;
}

export class EmitBatchResponseDto {
  @ApiProperty({
    type: 'array',
    items: { oneOf: [EmitResponseDto, EmissionErrorDto].map((one) => ({ $ref: getSchemaPath(one) })) },
  })
  items!: (EmitResponseDto | EmissionErrorDto)[];
}
