import type { TokenUsage } from '@platform/contracts';

export interface UsageFigures {
  promptTokens: number;
  completionTokens: number;
  cost: number;
  estimated: boolean;
}

/** Returns usage in wire form: total = prompt + completion, and the cost in the currency of the model. */
export function formatUsage(usage: UsageFigures): TokenUsage {
  const { promptTokens, completionTokens, cost, estimated } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    cost,
    ...(estimated && { estimated: true as const }),
  };
}

/** Converts milliseconds to seconds, rounded to the millisecond. */
export function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
