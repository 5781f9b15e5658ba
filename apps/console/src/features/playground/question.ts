import type { Interaction, ResumeRequest } from '@platform/contracts';

/** What the user has chosen, as it travels. */
export type Choice = Pick<ResumeRequest, 'selectedOptionIds'> & { otherText?: string };

/** Whether the service would take so many choices; own words count as one. */
export function isAnswer(
  { minSelected, maxSelected, allowOther }: Interaction,
  { selectedOptionIds, otherText }: Choice,
): boolean {
  if (otherText !== undefined && (!allowOther || otherText.trim() === '')) return false;
  const chosen = selectedOptionIds.length + (otherText === undefined ? 0 : 1);
  return chosen >= minSelected && chosen <= maxSelected;
}

/** The choice in words. */
export function answerLabels({ options }: Interaction, { selectedOptionIds, otherText }: Choice): string[] {
  const labels = options.filter(({ id }) => selectedOptionIds.includes(id)).map(({ label }) => label);
  return otherText === undefined ? labels : [...labels, otherText];
}
