import type { ModelUsage } from '../../models/port/model-provider.ts';
import { evidenceBlock } from './evidence-block.ts';
import type { Step, StepContent } from '../records/steps.ts';

/** A position in a session: a step of a turn. */
export interface Position {
  turn: number;
  n: number;
}

export type ContextStep = StepContent & Position & { tokens: number };

/** A summary, which replaces the steps up to its mark. */
export interface Summary {
  id: string;
  text: string;
  /** Tokens of the text as the model receives it. */
  tokens: number;
  /** The last step that it covers. */
  mark: Position;
}

/** What the model receives besides the system prompt and the tools. */
export interface Context {
  summary: Summary | null;
  /**
   * The size in tokens when a summary was last created or undone, with the last step that it includes. Figures that
   * providers reported for earlier calls are obsolete.
   */
  baseline: (Position & { tokens: number }) | null;
  /** The steps that no summary covers, oldest first. */
  steps: ContextStep[];
}

export const EMPTY_CONTEXT: Context = { summary: null, baseline: null, steps: [] };

/** Whether the first position is after the second. */
export function isAfter(a: Position, b: Position): boolean {
  return a.turn > b.turn || (a.turn === b.turn && a.n > b.n);
}

/** The latest position, or null. Results of tools are not always in the order of their arrival. */
export function lastPosition(steps: Position[]): Position | null {
  return steps.reduce<Position | null>(
    (last, { turn, n }) => (last === null || isAfter({ turn, n }, last) ? { turn, n } : last),
    null,
  );
}

/** The context of the next call of a turn. The current user message is sent unchanged, even if a summary covers it. */
export function withTurn(context: Context, turn: { n: number; steps: Step[] }): Context {
  const mark = context.summary?.mark;
  const own = turn.steps.map((step) => ({ ...step, turn: turn.n }));
  const steps = [...context.steps, ...own].filter(
    (step) => mark === undefined || isAfter(step, mark) || isPinned(step, turn.n),
  );
  return { ...context, steps };
}

/** Whether the step is the user message of the running turn. */
export function isPinned(step: ContextStep, runningTurn: number | null): boolean {
  return step.kind === 'user' && step.turn === runningTurn;
}

/** The tokens that a call adds to the context. Providers drop the reasoning. */
export function contextTokens({ promptTokens, completionTokens, reasoningTokens }: ModelUsage): number {
  return promptTokens + completionTokens - reasoningTokens;
}

/**
 * The size of a context in tokens: the figure that the provider reported for the last call, plus local counts of what
 * was added since. `systemTokens` is used while no figure is known.
 */
export function usedTokens(
  { steps, baseline }: Context,
  systemTokens: number,
): { tokens: number; estimated: boolean } {
  const known = steps.findLastIndex(
    (step) => step.kind === 'model' && step.content.context && (!baseline || isAfter(step, baseline)),
  );
  const step = steps[known];
  if (step?.kind === 'model' && step.content.context) {
    const { tokens, estimated } = step.content.context;
    const since = steps.slice(known + 1);
    return { tokens: tokens + sumTokens(since), estimated: estimated || since.length > 0 };
  }
  if (baseline) {
    const since = steps.filter((later) => isAfter(later, baseline));
    return { tokens: baseline.tokens + sumTokens(since), estimated: true };
  }
  return { tokens: systemTokens + sumTokens(steps), estimated: true };
}

export function sumTokens(steps: { tokens: number }[]): number {
  return steps.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The number of messages that the model receives for the steps. */
export function messageCount(steps: StepContent[]): number {
  const isSent = (step: StepContent) =>
    step.kind === 'evidence' ? evidenceBlock(step.content.searches) !== '' : step.kind !== 'tool-call';
  return steps.filter(isSent).length;
}
