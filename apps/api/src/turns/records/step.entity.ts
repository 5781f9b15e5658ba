import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StepContent, StepMeasures } from './steps.ts';

/** A step of a turn. A stored step is never executed again. */
@Entity('turn_step')
export class StepEntity {
  @Column('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @PrimaryColumn('uuid')
  turnId!: string;

  /** The position in the turn, starting at 1. */
  @PrimaryColumn('int')
  n!: number;

  @Column('text')
  kind!: StepContent['kind'];

  @Column('json')
  content!: StepContent['content'];

  /** The tokens that the step adds to the context. */
  @Column('int', { default: 0 })
  tokens!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** The size of `content` in UTF-8; null for steps of earlier versions. */
  @Column('int', { nullable: true })
  bytes!: number | null;

  /** Whether the model wrote no text in this step, so that it is not a message of the session. */
  @Column('boolean', { default: false })
  isSilent!: boolean;

  /** Duration and usage, for traces; null for steps of earlier versions and for those that take no time. */
  @Column('json', { nullable: true })
  measures!: StepMeasures | null;
}
