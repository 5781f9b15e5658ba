import type {
  AskedCall,
  QuestionField,
  QuestionPurpose,
  QuestionRecipients,
  QuestionStatus,
} from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a call of a tool needs. */
export interface QuestionNeed {
  call?: AskedCall;
  /** The page of the console that offers a connection. */
  path?: string;
  /** The agent that makes the call, if one does. */
  agent?: { id: string; name: string };
  /** The person of the turn, or the owner of the task. */
  requesterId: string;
  /** Of a step: the execution that asked, the method as it was, and what the server sent with its form. */
  stepKey?: string;
  method?: { id: string; version: string };
  state?: string;
}

/** What a run asks people. It is open as long as the run waits for its answer. */
@Entity('question')
export class QuestionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  /** Null: a turn asks without a run. */
  @Column('uuid', { nullable: true })
  runId!: string | null;

  /** Of the step that asks. */
  @Column('text', { nullable: true })
  scope!: string | null;

  @Column('uuid', { nullable: true })
  taskId!: string | null;

  @Column('text', { default: 'question' })
  purpose!: QuestionPurpose;

  /** What a call of a tool needs, and who asks for it; null for what a step of kind `ask` or an agent asks. */
  @Column('json', { nullable: true })
  need!: QuestionNeed | null;

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

  /** The arguments with which a call was approved, in place of those that were shown. */
  @Column('json', { nullable: true })
  edited!: Record<string, unknown> | null;

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
