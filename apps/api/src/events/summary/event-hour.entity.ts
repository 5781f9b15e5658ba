import { Entity, PrimaryColumn } from 'typeorm';
import { EventCounts } from './event-counts.ts';

/** The sums of `event_minute` over an hour. */
@Entity('event_hour')
export class EventHourEntity extends EventCounts {
  @PrimaryColumn('timestamptz')
  hour!: Date;
}
