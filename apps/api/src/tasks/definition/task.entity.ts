import type { TaskDisabledReason, TaskRetry, TaskSchedule, TaskType, Workflow } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A workflow with an owner, and when it runs. */
@Entity('task')
export class TaskEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  ownerUserId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  type!: TaskType;

  @Column('json', { nullable: true })
  schedule!: TaskSchedule | null;

  @Column('json')
  workflow!: Workflow;

  /** The number of the workflow. A trigger of the database counts it, and stores each workflow as a version. */
  @Column('int', { default: 1 })
  version!: number;

  /** Written with a workflow, by the person whose version it becomes. It is not stored here, so it always reads as null. */
  @Column('uuid', { nullable: true })
  changedBy!: string | null;

  @Column('int')
  concurrency!: number;

  /** A template: of the runs with the same value, at most `perKey` execute at once. */
  @Column('text', { nullable: true })
  concurrencyKey!: string | null;

  @Column('int', { default: 1 })
  perKey!: number;

  @Column('int')
  timeoutMs!: number;

  @Column('json')
  retry!: TaskRetry;

  @Column('boolean', { default: true })
  enabled!: boolean;

  @Column('text', { nullable: true })
  disabledReason!: TaskDisabledReason | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  nextDueAt!: Date | null;

  @Column('uuid', { nullable: true })
  applicationId!: string | null;

  @Column('text', { nullable: true })
  applicationKey!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiredAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
