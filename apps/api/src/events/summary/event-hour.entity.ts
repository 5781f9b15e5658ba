import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The sums of `event_minute` over an hour. */
@Entity('event_hour')
export class EventHourEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @PrimaryColumn('timestamptz')
  hour!: Date;

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

  /** Runs are counted in the hour in which they were queued. */
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
}
