import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A due time of a schedule for which a run was created. */
@Entity('scheduled_run')
export class ScheduledRunEntity {
  @PrimaryColumn('uuid')
  taskId!: string;

  @PrimaryColumn('timestamptz', { precision: 3 })
  dueAt!: Date;

  @Column('uuid')
  runId!: string;

  @Column('int', { default: 0 })
  missed!: number;
}
