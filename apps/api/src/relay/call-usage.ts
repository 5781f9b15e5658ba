import type { ModelUsage } from '../models/model-provider.ts';

/** What a call used; `estimated`: counted by us, for the model told no figures. */
export interface CallUsage {
  usage: ModelUsage;
  estimated: boolean;
}

export const NO_USAGE: ModelUsage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
};

/** How far the answer of a running call has come. */
export interface Progress {
  /** A rough count, quick enough to be asked again and again. */
  completionTokens: () => number;
}

/** Of a call that has not begun to answer. */
export const createProgress = (): Progress => ({ completionTokens: () => 0 });
