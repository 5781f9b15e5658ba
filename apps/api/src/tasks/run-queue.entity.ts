import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/columns.ts';

/** A run that is not finished: who works on it and until when. */
@Entity('run_queue')
export class RunQueueEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @Column('uuid')
  taskId!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text', { default: 'READY' })
  state!: 'READY' | 'RUNNING';

  @Column('bigint', { transformer: asNumber, default: 0 })
  fencingToken!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  availableAt!: Date;

  @Column('int', { default: 0 })
  hints!: number;

  @Column('timestamptz', { nullable: true })
  nextPublishAt!: Date | null;
}
