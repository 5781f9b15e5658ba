import {
  NOTIFICATION_EVENTS,
  NOTIFICATION_SEVERITIES,
  type JsonSchema,
  type NotificationEvent,
  type NotificationSeverity,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';

class PlatformEventDto {
  @ApiProperty({ enum: NOTIFICATION_EVENTS })
  name!: NotificationEvent;
  @ApiProperty({ enum: NOTIFICATION_SEVERITIES })
  severity!: NotificationSeverity;
  description!: string;
  @ApiProperty({ type: 'object', additionalProperties: true })
  payloadSchema!: JsonSchema;
}

export class PlatformEventsDto {
  /** Whether tasks of the space can subscribe to them, as events of the application `platform`. */
  enabled!: boolean;
  events!: PlatformEventDto[];
}

export class UpdatePlatformEventsDto {
  @IsBoolean()
  enabled!: boolean;
}
