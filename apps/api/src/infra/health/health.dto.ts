import type { Health } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';

const STATES = ['up', 'down'];

export class HealthDto implements Health {
  @ApiProperty({ enum: ['ok', 'unavailable'] })
  status!: 'ok' | 'unavailable';
  /** The parts of the service by their names. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string', enum: STATES } })
  checks!: Record<string, 'up' | 'down'>;
}
