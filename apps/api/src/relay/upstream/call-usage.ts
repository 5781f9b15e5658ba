import type { ModelUsage } from '../../models/port/model-provider.ts';

/** What a call used. `estimated`: the server reported no usage, and the relay counted the tokens itself. */
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

/** The progress of a running call. */
export interface Progress {
  /** An approximate count, cheap enough to be called repeatedly. */
  completionTokens: () => number;
}

/** Creates the progress of a call without a response. */
export const createProgress = (): Progress => ({ completionTokens: () => 0 });
