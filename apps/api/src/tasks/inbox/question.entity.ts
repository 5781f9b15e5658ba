import type { QuestionField, QuestionRecipients, QuestionStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a run asks people. It is open as long as the run waits for its answer. */
@Entity('question')
export class QuestionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  runId!: string;

  /** Of the step that asks. */
  @Column('text')
  scope!: string;

  @Column('uuid')
  taskId!: string;

  /** As the step says. Who that is now is in `question_recipient`. */
  @Column('json')
  recipients!: QuestionRecipients;

  @Column('json')
  message!: string;

  @Column('json')
  fields!: QuestionField[];

  /** Whether the answer approves or rejects. */
  @Column('boolean')
  approval!: boolean;

  /** A trigger of `run_wait` closes a question that nobody has answered. */
  @Column('text', { default: 'OPEN' })
  status!: QuestionStatus;

  @Column('json', { nullable: true })
  values!: Record<string, unknown> | null;

  @Column('boolean', { nullable: true })
  approved!: boolean | null;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('uuid', { nullable: true })
  answeredBy!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  answeredAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** What the turn asks whose step of kind `agent` asked. */
  @Column('uuid', { nullable: true })
  interactionId!: string | null;

  /** That turn, as long as it may wait for the answer. */
  @Column('uuid', { nullable: true })
  turnId!: string | null;

  /** How many of the fields an answer has that are neither empty nor false. Null: whatever is required. */
  @Column('int', { nullable: true })
  minValues!: number | null;

  @Column('int', { nullable: true })
  maxValues!: number | null;

  /** When its recipients are told again, before it expires. Null: not, or they have been. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  remindAt!: Date | null;

  /** When its recipients were told again. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  remindedAt!: Date | null;
}
