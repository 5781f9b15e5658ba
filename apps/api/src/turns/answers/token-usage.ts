import type { TokenUsage } from '@platform/contracts';

export interface UsageFigures {
  promptTokens: number;
  completionTokens: number;
  cost: number;
  estimated: boolean;
}

/** Usage as it travels: total = prompt + completion, the cost in the model's currency. */
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

/** Milliseconds as seconds, to the millisecond. */
export function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
