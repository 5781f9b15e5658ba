import type { ScheduledTimeOutcome } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A due time of a schedule, and what became of it. */
@Entity('scheduled_run')
export class ScheduledRunEntity {
  @PrimaryColumn('uuid')
  taskId!: string;

  @PrimaryColumn('timestamptz', { precision: 3 })
  dueAt!: Date;

  /** The run that was started or stands for the time, or because of which it was skipped. */
  @Column('uuid')
  runId!: string;

  @Column('int', { default: 0 })
  missed!: number;

  @Column('text', { default: 'STARTED' })
  outcome!: ScheduledTimeOutcome;

  /** The earlier run whose end the run waits for; null if it does not, or no longer. */
  @Column('uuid', { nullable: true })
  waitsFor!: string | null;
}
