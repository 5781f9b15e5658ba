import {
  NOTIFICATION_CHANNEL_KINDS,
  NOTIFICATION_EVENTS,
  NOTIFICATION_SEVERITIES,
  SMTP_SECURITIES,
  type NotificationChannelKind,
  type NotificationEvent,
  type NotificationSeverity,
  type SmtpSecurity,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { Nullable } from '../../infra/requests/nullable.ts';
import { IsFilledText, IsText } from '../../infra/requests/text.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

const MAX_URL_CHARS = 2_000;
const MAX_RECIPIENTS = 50;
const MAX_DIGEST_MINUTES = 1_440;

class QuietHoursOptionsDto {
  /** @example 22:00 */
  @IsString()
  @MaxLength(5)
  from!: string;

  /** On the next day if it is before `from`. @example 07:00 */
  @IsString()
  @MaxLength(5)
  to!: string;

  /** @example Europe/Berlin */
  @IsString()
  @MaxLength(100)
  timezone!: string;
}

class SmtpOptionsDto {
  /** @example smtp.example.com */
  @IsFilledText()
  @MaxLength(253)
  host!: string;

  @IsInt()
  @Min(1)
  @Max(65_535)
  @ApiProperty({ type: 'integer', example: 587 })
  port!: number;

  /** `tls`: encrypted from the beginning. `starttls`, the default: encrypted before anything is sent. `none`: only for trusted networks. */
  @IsOptional()
  @IsIn(SMTP_SECURITIES)
  security?: SmtpSecurity;

  @Nullable()
  @IsOptional()
  @IsText()
  @MaxLength(500)
  username?: string | null;

  /** Write-only. Required again with another host, port, security, or username. */
  @IsOptional()
  @IsText()
  @MaxLength(1_000)
  password?: string;

  /** @example platform@example.com */
  @IsEmail()
  from!: string;

  /** @example ["ops@example.com"] */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RECIPIENTS)
  @IsEmail({}, { each: true })
  to!: string[];
}

/** What can be changed later. */
class ChannelOptionsDto {
  /** The address that receives the messages; required for all kinds but `email`. Write-only for chats. */
  @IsOptional()
  @IsText()
  @MaxLength(MAX_URL_CHARS)
  url?: string;

  /** The secret that signs, of `feishu` and `dingtalk`. Write-only; null removes it. */
  @Nullable()
  @IsOptional()
  @IsFilledText()
  @MaxLength(500)
  secret?: string | null;

  /** Required for `email`. */
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SmtpOptionsDto)
  smtp?: SmtpOptionsDto;

  /** Default: info. */
  @IsOptional()
  @IsIn(NOTIFICATION_SEVERITIES)
  minSeverity?: NotificationSeverity;

  /** The least minutes between two messages, 0 to 1,440. What happens meanwhile is one message. Default: 0. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_DIGEST_MINUTES)
  @ApiProperty({ type: 'integer', required: false })
  digestMinutes?: number;

  /** When nothing is sent; what happens meanwhile is one message afterwards. */
  @Nullable()
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => QuietHoursOptionsDto)
  @ApiProperty({ type: () => QuietHoursOptionsDto, nullable: true, required: false })
  quietHours?: QuietHoursOptionsDto | null;

  /** Default: true. */
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;
}

export class CreateNotificationChannelDto extends ChannelOptionsDto {
  /** @example Operations */
  @IsFilledText()
  @MaxLength(120)
  name!: string;

  @IsIn(NOTIFICATION_CHANNEL_KINDS)
  kind!: NotificationChannelKind;

  /** What it is told. */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(NOTIFICATION_EVENTS.length)
  @IsIn(NOTIFICATION_EVENTS, { each: true })
  @ApiProperty({ enum: NOTIFICATION_EVENTS, isArray: true })
  events!: NotificationEvent[];
}

export class UpdateNotificationChannelDto extends ChannelOptionsDto {
  @IsOptional()
  @IsFilledText()
  @MaxLength(120)
  name?: string;

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(NOTIFICATION_EVENTS.length)
  @IsIn(NOTIFICATION_EVENTS, { each: true })
  @ApiProperty({ enum: NOTIFICATION_EVENTS, isArray: true, required: false })
  events?: NotificationEvent[];
}

class QuietHoursDto {
  from!: string;
  to!: string;
  timezone!: string;
}

class SmtpDto {
  host!: string;
  @ApiProperty({ type: 'integer' })
  port!: number;
  security!: SmtpSecurity;
  username!: string | null;
  passwordConfigured!: boolean;
  from!: string;
  to!: string[];
}

export class NotificationChannelDto {
  id!: string;
  spaceId!: string;
  name!: string;
  kind!: NotificationChannelKind;
  /** The address; only the origin of that of a chat; null for `email`. */
  url!: string | null;
  /** Whether it has a secret of its own that signs. A `webhook` is signed with the webhook secret of the space. */
  secretConfigured!: boolean;
  @ApiProperty({ type: () => SmtpDto, nullable: true })
  smtp!: SmtpDto | null;
  @ApiProperty({ enum: NOTIFICATION_EVENTS, isArray: true })
  events!: NotificationEvent[];
  minSeverity!: NotificationSeverity;
  @ApiProperty({ type: 'integer' })
  digestMinutes!: number;
  @ApiProperty({ type: () => QuietHoursDto, nullable: true })
  quietHours!: QuietHoursDto | null;
  enabled!: boolean;
  createdBy!: string;
  createdAt!: string;
  updatedAt!: string;
}

export class NotificationChannelPageDto extends pageOf(NotificationChannelDto) {}
