import type { Interaction, QuestionPurpose } from '@platform/contracts';

export type NeedPurpose = Exclude<QuestionPurpose, 'question'>;

/** What is asked, without the address of the page that is linked beside it. */
export function askedText({ question, path }: Interaction): string {
  return path === undefined ? question : question.replace(`\n${path}`, '');
}

/** What a call needs; null if the agent itself asks. */
export function purposeOf({ purpose }: Interaction): NeedPurpose | null {
  return purpose === undefined || purpose === 'question' ? null : purpose;
}
