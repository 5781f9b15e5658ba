import { Column, Entity, PrimaryColumn } from 'typeorm';

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

  @Column('uuid')
  turnId!: string;

  @Column('text')
  form!: string;

  @Column('text', { nullable: true })
  idempotencyKey!: string | null;

  @Column('bytea')
  requestHash!: Buffer;

  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('text', { nullable: true })
  webhookUrl!: string | null;

  @Column('int')
  timeoutMs!: number;

  @Column('timestamptz')
  deadline!: Date;

  @Column('int', { default: 0 })
  progress!: number;

  @Column('text', { nullable: true })
  told!: string | null;

  @Column('boolean', { default: false })
  claimedAgain!: boolean;

  @Column('boolean', { default: false })
  cancelRequested!: boolean;

  @Column('boolean', { default: false })
  timedOut!: boolean;

  @Column('int', { default: 0 })
  hints!: number;

  @Column('timestamptz', { nullable: true })
  hintedEnd!: Date | null;

  @Column('timestamptz', { nullable: true })
  nextPublishAt!: Date | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('text', { default: 'QUEUED' })
  status!: string;

  @Column('int', { default: 0 })
  changes!: number;

  @Column('json', { nullable: true })
  error!: unknown;

  @Column('timestamptz', { nullable: true })
  finishedAt!: Date | null;

  @Column('uuid', { nullable: true })
  sessionId!: string | null;

  @Column('text', { nullable: true, default: 'READY' })
  queueState!: string | null;

  @Column('timestamptz', { nullable: true })
  startingUntil!: Date | null;

  @Column('uuid', { nullable: true })
  causationRunId!: string | null;
}
