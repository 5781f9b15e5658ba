import type { JobStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export interface JobFailure {
  code: string;
  message: string;
}

/** An asynchronous agent invocation: a turn that no request waits for. */
@Entity('agent_job')
export class JobEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  userId!: string;

  @Column('uuid')
  agentId!: string;

  /** The turn that the job runs. */
  @Column('uuid', { name: 'turn_id' })
  turnRef!: string;

  /** The form of the result. */
  @Column('text')
  form!: 'chat' | 'execute';

  @Column('text', { nullable: true })
  idempotencyKey!: string | null;

  /** Distinguishes requests with the same idempotency key or turn id. */
  @Column('bytea')
  requestHash!: Buffer;

  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('text', { nullable: true })
  webhookUrl!: string | null;

  @Column('int')
  timeoutMs!: number;

  /** When the job times out, counted from its creation. */
  @Column('timestamptz')
  deadline!: Date;

  /** What the job had reached when its turn last moved. While it runs, its stream may show more. */
  @Column('int', { default: 0 })
  progress!: number;

  /** Whether an interrupted turn has been claimed a second time; there is no third. */
  @Column('boolean', { default: false })
  claimedAgain!: boolean;

  @Column('boolean', { default: false })
  cancelRequested!: boolean;

  @Column('boolean', { default: false })
  timedOut!: boolean;

  /** Hints published since a worker last handled one; the next is published later each time. */
  @Column('int', { default: 0 })
  hints!: number;

  /** When the next hint is due; null when nothing is left to do. */
  @Column('timestamptz', { nullable: true })
  nextPublishAt!: Date | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** Follows the turn in the same transaction (`FollowingJobsService`) until the job has ended. */
  @Column('text', { default: 'QUEUED' })
  status!: JobStatus;

  /** Counts changes of the status, and cancel requests, so that a decision based on an earlier one is not stored. */
  @Column('int', { default: 0 })
  changes!: number;

  @Column('json', { nullable: true })
  error!: JobFailure | null;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  @Column('uuid', { nullable: true })
  sessionId!: string | null;

  /** `STARTING`: picked by a process. `PARKED`: waits for its session. Null: not in the queue. */
  @Column('text', { nullable: true, default: 'READY' })
  queueState!: 'READY' | 'STARTING' | 'PARKED' | null;

  /** When a picked job that was not started becomes ready again. */
  @Column('timestamptz', { nullable: true })
  startingUntil!: Date | null;

  /** The run of a task that created the job. */
  @Column('uuid', { nullable: true })
  causationRunId!: string | null;
}
