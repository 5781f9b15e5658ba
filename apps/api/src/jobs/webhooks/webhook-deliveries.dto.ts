import {
  WEBHOOK_DELIVERY_STATUSES,
  type WebhookAttemptOutcome,
  type WebhookDeliveryStatus,
  type WebhookType,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsUUID, Max, Min, ValidateBy } from 'class-validator';
import { TimedPageDto } from '../../infra/requests/page.dto.ts';
import { isWebhookUrl, WEBHOOK_URL } from './webhook-url.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const IsWebhookUrl = () =>
  ValidateBy({
    name: 'isWebhookUrl',
    validator: { validate: isWebhookUrl, defaultMessage: () => `$property must be ${WEBHOOK_URL}` },
  });

export class WebhookDeliveryQueryDto extends TimedPageDto {
  @IsOptional()
  @IsIn(WEBHOOK_DELIVERY_STATUSES)
  status?: WebhookDeliveryStatus;

  @IsOptional()
  @IsUUID('all')
  jobId?: string;
}

export class RetryWebhookDeliveryDto {
  /** The `attempts` that the caller has seen: a repeated request then sends nothing twice. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(2_147_483_647)
  attempts?: number;
}

export class TestWebhookDto {
  @IsWebhookUrl()
  url!: string;
}

class WebhookDeliveryUserDto {
  id!: string;
  email!: string;
  name!: string;
}

export class WebhookDeliveryDto {
  /** The `webhook-id` of every attempt. */
  id!: string;
  spaceId!: string;
  jobId!: string;
  /** Whose job it is. */
  @ApiProperty({ type: () => WebhookDeliveryUserDto, nullable: true })
  user!: WebhookDeliveryUserDto | null;
  type!: WebhookType;
  /** The address. `***` stands for what may be a secret: keys in the path, and the values of the query. */
  url!: string;
  status!: WebhookDeliveryStatus;
  @ApiProperty({ type: 'integer' })
  attempts!: number;
  /** When it is sent, or sent again; null once it has ended. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  dueAt!: string | null;
  /** Why the last attempt failed. */
  lastError!: string | null;
  createdAt!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  endedAt!: string | null;
}

export class WebhookDeliveryPageDto extends pageOf(WebhookDeliveryDto) {}

class WebhookResponseDto {
  @ApiProperty({ type: 'integer' })
  status!: number;
  /** The first 2 KB, without secrets and control characters. */
  body!: string;
}

class WebhookAttemptResponseDto {
  @ApiProperty({ type: 'integer' })
  status!: number;
  /**
   * The first 2 KB, without secrets and control characters. It can repeat the message, so it is null for the job of another
   * person, and a week after the message was created.
   */
  body!: string | null;
}

class WebhookRequestDto {
  /** `POST`. */
  method!: string;
  url!: string;
  /** Of the last attempt. The signature is not kept. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers!: Record<string, string>;
  /** As it is sent, cut after 16,384 bytes. Null for the job of another person, and a week after it was created. */
  body!: string | null;
  /** Of the complete body; null a week after it was created. */
  @ApiProperty({ type: 'integer', nullable: true })
  bodyBytes!: number | null;
}

class WebhookAttemptDto {
  /** Counts from 1. */
  @ApiProperty({ type: 'integer' })
  attempt!: number;
  at!: string;
  /** Milliseconds until the status arrived, or the attempt failed; null if it has not ended. */
  @ApiProperty({ type: 'integer', nullable: true })
  durationMs!: number | null;
  outcome!: WebhookAttemptOutcome;
  @ApiProperty({ type: () => WebhookAttemptResponseDto, nullable: true })
  response!: WebhookAttemptResponseDto | null;
  /** Why the message was not accepted, as a sentence. */
  error!: string | null;
}

export class WebhookDeliveryDetailDto extends WebhookDeliveryDto {
  @ApiProperty({ type: () => WebhookRequestDto })
  request!: WebhookRequestDto;
  /** The last 20, newest first. */
  @ApiProperty({ type: () => WebhookAttemptDto, isArray: true })
  lastAttempts!: WebhookAttemptDto[];
}

class WebhookTestRequestDto {
  method!: string;
  url!: string;
  /** With the signature. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers!: Record<string, string>;
  body!: string;
}

export class WebhookTestDto {
  /** The `webhook-id`. */
  id!: string;
  @ApiProperty({ enum: ['ACCEPTED', 'REFUSED', 'NO_RESPONSE'] })
  outcome!: 'ACCEPTED' | 'REFUSED' | 'NO_RESPONSE';
  /** Whether the address is not public and not allowed. Only installation administrators learn it. */
  isBlocked!: boolean;
  @ApiProperty({ type: () => WebhookTestRequestDto })
  request!: WebhookTestRequestDto;
  @ApiProperty({ type: 'integer' })
  durationMs!: number;
  @ApiProperty({ type: () => WebhookResponseDto, nullable: true })
  response!: WebhookResponseDto | null;
  /** Why the message was not accepted, as a sentence. */
  error!: string | null;
}
