import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Question, UserAnswer } from '../questions/question.ts';
import type { InteractionRow } from './interaction.store.ts';

/** A question of an agent to the user. */
@Entity('interaction')
export class InteractionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  turnId!: string;

  /** The tool call by which the model asked. */
  @Column('text')
  callId!: string;

  @Column('json')
  question!: Question;

  @Column('text')
  status!: InteractionRow['status'];

  /** The response of the user; null unless the question was answered. */
  @Column('json', { nullable: true })
  answer!: UserAnswer | null;

  /** The segment that the response opened. */
  @Column('int', { nullable: true })
  segment!: number | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
}
