import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A run that is not finished: who works on it and until when. */
@Entity('run_queue')
export class RunQueueEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @Column('uuid')
  taskId!: string;

  @Column('uuid')
  spaceId!: string;

  /** Of the task when the run was queued. Shares the places of a worker; zero for runs that an earlier version queued. */
  @Column('uuid', { default: '00000000-0000-0000-0000-000000000000' })
  ownerUserId!: string;

  @Column('text', { default: 'READY' })
  state!: 'READY' | 'RUNNING';

  /** The slot of its task that the run occupies; null while it is READY. */
  @Column('int', { nullable: true })
  slot!: number | null;

  /** The claim that works on the run; null before the first. */
  @Column('uuid', { nullable: true })
  fencingToken!: string | null;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('boolean', { default: false })
  cancelRequested!: boolean;

  /** Whether it starts although its task is disabled: a person has asked for it since then. */
  @Column('boolean', { default: false })
  despiteDisabled!: boolean;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  availableAt!: Date;

  /** A hash of the value of its key; null if the run has none, or if it is not known yet. */
  @Column('bytea', { nullable: true })
  concurrencyKey!: Buffer | null;

  /** Only processes of earlier versions use it, and `nextPublishAt`. */
  @Column('int', { default: 0 })
  hints!: number;

  @Column('timestamptz', { nullable: true })
  nextPublishAt!: Date | null;
}
