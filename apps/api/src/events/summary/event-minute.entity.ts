import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many envelopes of an event were recorded in a minute, by status. */
@Entity('event_minute')
export class EventMinuteEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @PrimaryColumn('timestamptz')
  minute!: Date;

  @PrimaryColumn('uuid')
  applicationId!: string;

  @PrimaryColumn('text')
  event!: string;

  @Column('int')
  dispatched!: number;

  @Column('int')
  failed!: number;

  @Column('int')
  skipped!: number;

  @Column('int')
  pending!: number;

  /** Whether envelopes have changed since they were counted. */
  @Column('boolean', { default: false })
  needsCount!: boolean;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  countedAt!: Date;
}
