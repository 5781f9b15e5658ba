import { Injectable } from '@nestjs/common';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { QuestionEntity } from './question.entity.ts';
import type { Answer } from './inbox.store.ts';

/** Continues turns that wait for people other than their users. */
export interface TurnAnswers {
  /**
   * Stores the answer with the question, and continues the turn. Throws CONFLICT if the turn no longer waits for it, also if the
   * same answer was given before.
   */
  answer(
    call: AuditedCall,
    question: Pick<QuestionEntity, 'id' | 'turnId' | 'interactionId'>,
    given: Omit<Answer, 'answeredAt'>,
  ): Promise<void>;
}

/** What answers the questions of turns; the module of turns registers itself. */
@Injectable()
export class TurnAnswersRegistry {
  private answers: TurnAnswers | null = null;

  register(answers: TurnAnswers): void {
    this.answers = answers;
  }

  get(): TurnAnswers {
    if (this.answers === null) throw new Error('Nothing answers the questions of turns');
    return this.answers;
  }
}
