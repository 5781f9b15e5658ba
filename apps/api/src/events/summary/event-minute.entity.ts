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

  /** Deliveries that started no run although their filter matched. */
  @Column('int', { default: 0 })
  missed!: number;

  /** Runs are counted in the minute in which they were queued. */
  @Column('int', { default: 0 })
  runsSucceeded!: number;

  /** FAILED or INTERRUPTED. */
  @Column('int', { default: 0 })
  runsFailed!: number;

  @Column('int', { default: 0 })
  runsCancelled!: number;

  /** QUEUED or RUNNING. */
  @Column('int', { default: 0 })
  runsWaiting!: number;

  /** Whether envelopes have changed since they were counted. */
  @Column('boolean', { default: false })
  needsCount!: boolean;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  countedAt!: Date;

  /** When runs that wait are counted again; null if none do. */
  @Column('timestamptz', { nullable: true })
  countAt!: Date | null;
}
