import type { RunError, RunStepStatus, StepKind } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Simulated } from './run.entity.ts';

/**
 * One execution of a step. The steps of a run are the last executions of each scope, whatever the attempt, without those
 * that a retry repeats.
 */
@Entity('run_step')
export class RunStepEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @PrimaryColumn('int')
  attempt!: number;

  /** In which order the executions of an attempt began. */
  @PrimaryColumn('int')
  position!: number;

  /** Where the step stands, such as `charge` or `orders[3].charge`; null for the previous version, which had no nested steps. */
  @Column('text', { nullable: true })
  scope!: string | null;

  /** The executions of the step in the run, numbered from 1. */
  @Column('int', { default: 1 })
  stepAttempt!: number;

  /** Whether a retry repeats the step. */
  @Column('boolean', { default: false })
  superseded!: boolean;

  /** Whether the execution may have an effect that a repetition would have again. */
  @Column('boolean', { default: true })
  acts!: boolean;

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

  /** In a test, if the step was not executed. */
  @Column('json', { nullable: true })
  simulated!: Simulated | null;

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
