import type { QuestionEntity } from './question.entity.ts';

/** Stands for all admins of the space among recipients. */
export const ADMINS = 'admins';

/** A question that is about to be stored. */
export type NewQuestion = Pick<QuestionEntity, 'recipients' | 'message' | 'fields' | 'approval'> &
  Partial<
    Pick<QuestionEntity, 'interactionId' | 'turnId' | 'minValues' | 'maxValues' | 'purpose' | 'need'>
  > & {
    /** A recipient who may not answer. */
    exceptUserId?: string | null;
  };
