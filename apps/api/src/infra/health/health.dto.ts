import { ApiProperty } from '@nestjs/swagger';

const STATES = ['up', 'down'];

export class HealthDto {
  @ApiProperty({ enum: ['ok', 'unavailable'] })
  status!: 'ok' | 'unavailable';
  /** The state of each part of the service, by name. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string', enum: STATES } })
  checks!: Record<string, 'up' | 'down'>;
  /** What an operator should look at; the service works nevertheless. */
  warnings!: string[];
}
