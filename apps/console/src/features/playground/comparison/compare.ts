import { getFirstTextMs, type LiveTurn } from '../turns/live-turn.ts';

export const FIGURES = ['firstText', 'seconds', 'tokens', 'cost'] as const;
type Figure = (typeof FIGURES)[number];

/** What an answer took: milliseconds until its first text, seconds, tokens, and cost. */
export type AnswerFigures = Partial<Record<Figure, number>>;

/** Returns the figures of the last answer of a column, when it has ended. */
export function getFigures(turn: LiveTurn | undefined): AnswerFigures {
  if (!turn?.completed) return {};
  const { execution_time: seconds, token_usage: usage } = turn.completed;
  const firstText = getFirstTextMs(turn);
  return {
    ...(firstText !== null && { firstText }),
    seconds,
    tokens: usage.total_tokens,
    cost: usage.cost,
  };
}

/** Returns the figures in which the first answer took less than the second one. A cost of zero is not known. */
export function listBetter(one: AnswerFigures, other: AnswerFigures): Figure[] {
  return FIGURES.filter((name) => {
    const [a, b] = [one[name], other[name]];
    return a !== undefined && b !== undefined && a < b && (name !== 'cost' || a > 0);
  });
}
