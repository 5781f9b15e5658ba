import type { Workflow } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A workflow that a task has or had. Rows never change. A trigger on `task` inserts them. */
@Entity('task_version')
export class TaskVersionEntity {
  @PrimaryColumn('uuid')
  taskId!: string;

  @PrimaryColumn('int')
  version!: number;

  @Column('json')
  workflow!: Workflow;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** Null if a process of a version before this table stored the workflow. */
  @Column('uuid', { nullable: true })
  createdBy!: string | null;
}
