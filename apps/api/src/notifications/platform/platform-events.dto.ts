import type { JsonSchema, NotificationEvent, NotificationSeverity } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';

class PlatformEventDto {
  name!: NotificationEvent;
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
