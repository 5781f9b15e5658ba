import type { RunAttemptStatus, RunError, Workflow } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One attempt of a run. */
@Entity('run_attempt')
export class RunAttemptEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @PrimaryColumn('int')
  attempt!: number;

  @Column('uuid')
  fencingToken!: string;

  @Column('text')
  status!: RunAttemptStatus;

  @Column('json', { nullable: true })
  error!: RunError | null;

  /** What the next attempt continues, if a process of an earlier version handed this one over. Can be large. */
  @Column('json', { nullable: true, select: false })
  workflow!: Workflow | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  startedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
