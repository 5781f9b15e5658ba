import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One of the places in which runs of a task execute at the same time. */
@Entity('run_slot')
export class RunSlotEntity {
  @PrimaryColumn('uuid')
  taskId!: string;

  @PrimaryColumn('int')
  n!: number;

  @Column('uuid', { nullable: true })
  runId!: string | null;
}
