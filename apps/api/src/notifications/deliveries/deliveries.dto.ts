import {
  NOTIFICATION_DELIVERY_STATUSES,
  type NotificationDeliveryStatus,
  type NotificationEvent,
  type NotificationSeverity,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

export class NotificationDeliveryQueryDto extends PageDto {
  @IsOptional()
  @IsUUID('all')
  channelId?: string;

  @IsOptional()
  @IsIn(NOTIFICATION_DELIVERY_STATUSES)
  status?: NotificationDeliveryStatus;
}

export class NotificationDeliveryDto {
  id!: string;
  spaceId!: string;
  channelId!: string;
  status!: NotificationDeliveryStatus;
  isTest!: boolean;
  /** The delivery whose content it sends again. */
  resendOf!: string | null;
  /** How much happened. The message contains the first 100. */
  @ApiProperty({ type: 'integer' })
  count!: number;
  @ApiProperty({ type: 'integer' })
  attempts!: number;
  /** When it is sent, or sent again; null once it has ended. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  dueAt!: string | null;
  /** Why the last attempt failed, or why it was not sent. */
  lastError!: string | null;
  createdAt!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  endedAt!: string | null;
}

export class NotificationDeliveryPageDto extends pageOf(NotificationDeliveryDto) {}

class SentRequestDto {
  /** `POST`; `MAIL` for mail. */
  method!: string;
  /** Only the origin of the address of a chat. */
  url!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  headers!: Record<string, string>;
  /** Cut after 16,384 characters. */
  body!: string;
}

class ReceivedResponseDto {
  /** Of HTTP, or of SMTP for mail. */
  @ApiProperty({ type: 'integer' })
  status!: number;
  /** Cut after 16,384 characters, for `webhook` after 2 KB. */
  body!: string;
}

class NotificationContentDto {
  id!: string;
  event!: NotificationEvent;
  severity!: NotificationSeverity;
  text!: string;
  url!: string;
  @ApiProperty({ type: 'object', additionalProperties: true })
  payload!: Record<string, unknown>;
  at!: string;
}

export class NotificationDeliveryDetailDto extends NotificationDeliveryDto {
  /** The first 100. */
  notifications!: NotificationContentDto[];
  /** Of the last attempt. */
  @ApiProperty({ type: () => SentRequestDto, nullable: true })
  request!: SentRequestDto | null;
  /** Of the last attempt; null if there was none. */
  @ApiProperty({ type: () => ReceivedResponseDto, nullable: true })
  response!: ReceivedResponseDto | null;
}
