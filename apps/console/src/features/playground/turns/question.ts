import type { Interaction, ResumeRequest } from '@platform/contracts';

/** The answer of the user, as sent to the service. */
export type Choice = Pick<ResumeRequest, 'selectedOptionIds' | 'arguments' | 'values'> & {
  otherText?: string;
};

/** Whether the number of choices is valid. Free text counts as one choice. */
export function isAnswer(
  { minSelected, maxSelected, allowOther }: Interaction,
  { selectedOptionIds, otherText }: Choice,
): boolean {
  if (otherText !== undefined && (!allowOther || otherText.trim() === '')) return false;
  const chosen = selectedOptionIds.length + (otherText === undefined ? 0 : 1);
  return chosen >= minSelected && chosen <= maxSelected;
}

/** Returns the labels of the chosen options, and the free text. */
export function listAnswerLabels(
  { options }: Interaction,
  { selectedOptionIds, otherText }: Choice,
): string[] {
  const labels = options.filter(({ id }) => selectedOptionIds.includes(id)).map(({ label }) => label);
  return otherText === undefined ? labels : [...labels, otherText];
}
