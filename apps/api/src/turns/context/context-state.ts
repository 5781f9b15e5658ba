import type { ModelUsage } from '../../models/model-provider.ts';
import type { Item, StepContent } from '../records/steps.ts';

/** A place in a session: a step of a turn. */
export interface Position {
  turn: number;
  n: number;
}

export type ContextStep = StepContent & Position & { tokens: number };

/** What stands in for the steps up to its mark. */
export interface Summary {
  id: string;
  text: string;
  /** Of the text as the model gets it. */
  tokens: number;
  /** The last step that it covers. */
  mark: Position;
}

/** What the model gets besides the system prompt and the tools. */
export interface Context {
  summary: Summary | null;
  /**
   * The size in tokens when a summary was last made or undone, with the last step that counts in it. What providers
   * said of earlier calls is no longer true.
   */
  baseline: (Position & { tokens: number }) | null;
  /** The steps that no summary covers, oldest first. */
  items: ContextStep[];
}

export const EMPTY_CONTEXT: Context = { summary: null, baseline: null, items: [] };

/** Whether the first place is behind the second. */
export function isAfter(a: Position, b: Position): boolean {
  return a.turn > b.turn || (a.turn === b.turn && a.n > b.n);
}

/** The latest place of all, or null: results of tools are not always in the order in which they came. */
export function lastPosition(items: Position[]): Position | null {
  return items.reduce<Position | null>(
    (last, { turn, n }) => (last === null || isAfter({ turn, n }, last) ? { turn, n } : last),
    null,
  );
}

/** The context of a turn's next call. What the user asked is sent as it was said, even where a summary covers it. */
export function withTurn(context: Context, turn: { n: number; items: Item[] }): Context {
  const mark = context.summary?.mark;
  const own = turn.items.map((item) => ({ ...item, turn: turn.n }));
  const items = [...context.items, ...own].filter(
    (item) => mark === undefined || isAfter(item, mark) || isPinned(item, turn.n),
  );
  return { ...context, items };
}

/** Whether the item is what the user asked in the turn that runs. */
export function isPinned(item: ContextStep, runningTurn: number | null): boolean {
  return item.kind === 'user' && item.turn === runningTurn;
}

/** What a call leaves in the context; a provider drops the reasoning. */
export function contextTokens({ promptTokens, completionTokens, reasoningTokens }: ModelUsage): number {
  return promptTokens + completionTokens - reasoningTokens;
}

/**
 * The size of a context in tokens: what the provider said of the last call, with what came since as it was counted
 * here. `systemTokens` counts where no figure is known yet.
 */
export function usedTokens(
  { items, baseline }: Context,
  systemTokens: number,
): { tokens: number; estimated: boolean } {
  const known = items.findLastIndex(
    (item) => item.kind === 'model' && item.content.context && (!baseline || isAfter(item, baseline)),
  );
  const item = items[known];
  if (item?.kind === 'model' && item.content.context) {
    const { tokens, estimated } = item.content.context;
    const since = items.slice(known + 1);
    return { tokens: tokens + sumTokens(since), estimated: estimated || since.length > 0 };
  }
  if (baseline) {
    const since = items.filter((later) => isAfter(later, baseline));
    return { tokens: baseline.tokens + sumTokens(since), estimated: true };
  }
  return { tokens: systemTokens + sumTokens(items), estimated: true };
}

export function sumTokens(items: { tokens: number }[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** How many messages the items are for the model. */
export function messageCount(items: StepContent[]): number {
  return items.filter(({ kind }) => kind !== 'tool-call').length;
}
