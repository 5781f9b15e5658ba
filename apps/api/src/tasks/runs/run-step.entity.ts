import type { RunError, RunStepStatus, StepKind } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One step of an attempt. The steps of an attempt that was handed over belong to the next one. */
@Entity('run_step')
export class RunStepEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @PrimaryColumn('int')
  attempt!: number;

  @PrimaryColumn('int')
  position!: number;

  @Column('text')
  stepId!: string;

  @Column('text')
  kind!: StepKind;

  @Column('text')
  status!: RunStepStatus;

  @Column('json', { nullable: true })
  input!: unknown;

  @Column('json', { nullable: true })
  output!: unknown;

  @Column('json', { nullable: true })
  log!: string | null;

  @Column('json', { nullable: true })
  error!: RunError | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  startedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;

  @Column('int', { nullable: true })
  durationMs!: number | null;
}
