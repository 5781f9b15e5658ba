import type { ResolvedModel } from '../../models/catalog/catalog.service.ts';
import { ProviderError, type ModelRequest, type ModelUsage } from '../../models/port/model-provider.ts';
import { countTokens, estimatePrompt } from '../../models/port/tokens.ts';
import { summaryRequest, type CompactionPlan } from './compaction.ts';
import type { Context } from './context-state.ts';

/** A summary that takes longer is aborted. */
export const SUMMARY_TIMEOUT_MS = 120_000;

/** The usage of a call. `estimated`: counted locally, because the provider reported none. */
export interface SummaryUsage {
  usage: ModelUsage;
  estimated: boolean;
}

/** The model call for a summary, and its progress. */
export class SummaryCall {
  /** Whether the model has sent anything. From then on, the call is charged however it ends. */
  began = false;
  private readonly provider: ResolvedModel['provider'];
  private readonly request: ModelRequest;
  private text = '';
  private reasoning = '';
  private usage: ModelUsage | null = null;

  constructor({ context, plan, model }: { context: Context; plan: CompactionPlan; model: ResolvedModel }) {
    this.provider = model.provider;
    this.request = summaryRequest(context, plan, model, model.upstreamModel);
  }

  get summary(): string {
    return this.text.trim();
  }

  /** Throws what the provider throws, or a `ProviderError` if it took too long or wrote nothing. */
  async run(signal: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(SUMMARY_TIMEOUT_MS);
    try {
      for await (const delta of this.provider.stream(this.request, AbortSignal.any([timeout, signal]))) {
        this.began = true;
        if (delta.type === 'text') this.text += delta.text;
        if (delta.type === 'reasoning') this.reasoning += delta.text;
        if (delta.type === 'usage') this.usage = delta;
      }
    } catch (error) {
      if (!timeout.aborted) throw error;
      throw new ProviderError('timeout', 'The model took too long to write the summary', { cause: error });
    }
    if (this.summary === '') throw new ProviderError('bad-answer', 'The model wrote no summary');
  }

  async used(): Promise<SummaryUsage> {
    if (this.usage) return { usage: this.usage, estimated: false };
    const promptTokens = await estimatePrompt(this.request.messages);
    const completionTokens = await countTokens(this.reasoning + this.text);
    const usage = { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0 };
    return { usage, estimated: true };
  }
}
