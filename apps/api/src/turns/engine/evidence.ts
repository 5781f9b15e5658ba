import type { KnowledgeEvidence } from '@platform/contracts';
import type { Step } from '../records/steps.ts';
import type { TurnSettings } from '../records/turn.ts';

const NO_KNOWLEDGE = 'Knowledge is not configured here, so no documents were searched';
const NO_WEB_SEARCH = 'Web search is not configured here, so the internet was not searched';
const MAX_QUERY_CHARS = 1_000;

/** What a turn asked to be searched and nobody can search: evidence without documents, with its reason. */
export function missingEvidence(
  { knowledge, internet, disableWebSearch }: TurnSettings,
  steps: readonly Step[],
): KnowledgeEvidence[] {
  const notices = [
    ...(knowledge ? [NO_KNOWLEDGE] : []),
    ...(internet && !disableWebSearch ? [NO_WEB_SEARCH] : []),
  ];
  const query = queryOf(steps);
  return notices.map((notice) => ({ query, documents: [], retrievalMs: 0, notice }));
}

/** The first words of the user. */
function queryOf(steps: readonly Step[]): string {
  for (const step of steps) {
    if (step.kind !== 'user') continue;
    for (const part of step.content.parts)
      if (part.type === 'text') return part.text.slice(0, MAX_QUERY_CHARS).toWellFormed();
  }
  return '';
}
