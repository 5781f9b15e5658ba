import type { ModelUsage } from '../port/model-provider.ts';
import { isObject } from '../../infra/runtime/json.ts';

/** Many times what any model reads or writes in one call; a larger figure is not a count of tokens. */
export const MAX_FIGURE = 100_000_000;

/**
 * Reads the figures of OpenAI's `usage`, in the words of chat completions or of the Responses API. Returns null unless the
 * prompt and the completion are counts of tokens: then they have to be estimated. Embeddings have no completion; cached and
 * reasoning tokens are 0 unless they are counts.
 */
export function readUsage(usage: Record<string, unknown>): ModelUsage | null {
  const promptTokens = usage.prompt_tokens ?? usage.input_tokens;
  const completionTokens = usage.completion_tokens ?? usage.output_tokens ?? 0;
  if (!isCount(promptTokens) || !isCount(completionTokens)) return null;
  const prompt = detailsOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const completion = detailsOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  return {
    promptTokens,
    completionTokens,
    cachedTokens: Math.min(countOf(prompt.cached_tokens), promptTokens),
    reasoningTokens: countOf(completion.reasoning_tokens),
  };
}

const detailsOf = (value: unknown) => (isObject(value) ? value : {});
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_FIGURE;
const countOf = (value: unknown): number => (isCount(value) ? value : 0);
