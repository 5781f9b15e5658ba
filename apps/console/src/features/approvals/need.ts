import type { Interaction, QuestionPurpose } from '@platform/contracts';

export type NeedPurpose = Exclude<QuestionPurpose, 'question'>;

/** What a call needs; null if the agent itself asks. */
export function purposeOf({ purpose }: Interaction): NeedPurpose | null {
  return purpose === undefined || purpose === 'question' ? null : purpose;
}
