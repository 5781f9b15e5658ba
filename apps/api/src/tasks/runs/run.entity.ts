import type { RunError, RunOrigin, RunStatus, Trigger, Workflow } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const TEST_EFFECTS = ['none', 'real'] as const;
export type TestEffects = (typeof TEST_EFFECTS)[number];

/** What a run tests. */
export interface RunTest {
  effects: TestEffects;
  /** With an empty payload if it is that of an envelope. */
  trigger: Trigger | null;
  /** The event that is repeated, if it is one that was recorded. Absent in tests that are older. */
  envelopeId?: string | null;
  /** Null: that of the task. */
  workflow: Workflow | null;
}

/** Where the output of a step came from that was not executed, or of calls by code. */
export interface Simulated {
  by: 'run' | 'example';
  /** The run that had the output. */
  runId: string | null;
}

/** One execution of a task. Partitioned by month. */
@Entity('run')
export class RunEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  taskId!: string;

  @Column('uuid')
  ownerUserId!: string;

  @Column('text')
  origin!: RunOrigin;

  @Column('text', { default: 'QUEUED' })
  status!: RunStatus;

  /** With an empty payload, so that lists read no large values. */
  @Column('json', { nullable: true })
  trigger!: Trigger | null;

  /** The payload of the trigger; null if it is read from the envelope. */
  @Column('json', { nullable: true })
  payload!: Record<string, unknown> | null;

  @Column('json')
  inputs!: Record<string, unknown>;

  @Column('int', { default: 1 })
  attempt!: number;

  /** How many of the attempts were handed over: they count neither as failed nor as interrupted. */
  @Column('int', { default: 0 })
  handovers!: number;

  /** The version of the task that it began with; null until it begins, and if a process of the previous version claimed it. */
  @Column('int', { nullable: true })
  taskVersion!: number | null;

  @Column('boolean', { default: false })
  cancelRequested!: boolean;

  @Column('uuid', { nullable: true })
  envelopeId!: string | null;

  @Column('int', { nullable: true })
  generation!: number | null;

  @Column('uuid', { nullable: true })
  subscriptionId!: string | null;

  @Column('uuid', { nullable: true })
  rootId!: string | null;

  @Column('int', { nullable: true })
  depth!: number | null;

  @Column('text', { array: true, nullable: true })
  path!: string[] | null;

  /** What a test tests; null for any other run. */
  @Column('json', { nullable: true })
  test!: RunTest | null;

  @Column('json', { nullable: true })
  error!: RunError | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;

  /** When its payload was erased, and what it stored of it. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  erasedAt!: Date | null;

  /** The latest attempt that was reported as failed; null for runs that are older than such reports. */
  @Column('int', { nullable: true, default: 0 })
  reportedAttempt!: number | null;

  /** When someone put the failure aside; null after a retry. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dismissedAt!: Date | null;

  @Column('uuid', { nullable: true })
  dismissedBy!: string | null;
}
