import { Column, Entity, PrimaryColumn } from 'typeorm';
import { EventCounts } from './event-counts.ts';

/** How many envelopes of an event were recorded in a minute, by status. */
@Entity('event_minute')
export class EventMinuteEntity extends EventCounts {
  @PrimaryColumn('timestamptz')
  minute!: Date;

  /** Whether envelopes have changed since they were counted. */
  @Column('boolean', { default: false })
  needsCount!: boolean;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  countedAt!: Date;

  /** When runs that wait are counted again; null if none do. */
  @Column('timestamptz', { nullable: true })
  countAt!: Date | null;
}
