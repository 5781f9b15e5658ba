import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StepContent } from './steps.ts';

/** A step of a turn. A stored step is never executed again. */
@Entity('turn_step')
export class StepEntity {
  @Column('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @PrimaryColumn('uuid')
  turnId!: string;

  @PrimaryColumn('int')
  n!: number;

  @Column('text')
  kind!: StepContent['kind'];

  @Column('json')
  content!: StepContent['content'];

  @Column('int', { default: 0 })
  tokens!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('int', { nullable: true })
  bytes!: number | null;

  @Column('boolean', { default: false })
  isSilent!: boolean;
}
