import { Column, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/entity-rows.ts';

/** What is counted of an event in a period, which begins at the column that the table adds. */
export abstract class EventCounts {
  @PrimaryColumn('uuid')
  spaceId!: string;

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

  /** Of the payloads. */
  @Column('bigint', { transformer: asNumber, default: 0 })
  bytes!: number;

  /** Runs are counted in the period in which they were queued. */
  @Column('int', { default: 0 })
  runsSucceeded!: number;

  /** FAILED or INTERRUPTED. */
  @Column('int', { default: 0 })
  runsFailed!: number;

  @Column('int', { default: 0 })
  runsCancelled!: number;

  /** QUEUED, RUNNING, or WAITING. */
  @Column('int', { default: 0 })
  runsWaiting!: number;
}
