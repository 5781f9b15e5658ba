import type { QuestionStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** To whom a question is addressed. */
@Entity('question_recipient')
export class QuestionRecipientEntity {
  @PrimaryColumn('uuid')
  questionId!: string;

  /** The id of a person, or `admins`. */
  @PrimaryColumn('text')
  recipient!: string;

  @Column('uuid')
  spaceId!: string;

  /** That of the question: the foreign key keeps it. */
  @Column('text', { default: 'OPEN' })
  status!: QuestionStatus;

  /** Among the admins, the person who asks for the approval of others. */
  @Column('uuid', { nullable: true })
  exceptUserId!: string | null;
}
