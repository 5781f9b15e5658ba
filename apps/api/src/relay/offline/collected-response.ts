import type {
  FinishReason,
  ModelDelta,
  ModelToolCall,
  ModelUsage,
} from '../../models/port/model-provider.ts';

/** Collects the deltas of one response. */
export class CollectedResponse {
  usage: ModelUsage | null = null;
  text = '';
  reason: FinishReason = 'stop';
  readonly calls: ModelToolCall[] = [];

  add(delta: ModelDelta): void {
    switch (delta.type) {
      case 'text':
        this.text += delta.text;
        break;
      case 'reasoning':
        break;
      case 'tool-call': {
        const call = (this.calls[delta.index] ??= { id: '', name: '', arguments: '' });
        call.id = delta.id ?? call.id;
        call.name = delta.name ?? call.name;
        call.arguments += delta.arguments;
        break;
      }
      case 'usage': {
        const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = delta;
        this.usage = { promptTokens, completionTokens, cachedTokens, reasoningTokens };
        break;
      }
      case 'finish':
        this.reason = delta.reason;
    }
  }

  /** Everything generated so far, including tool calls. */
  get written(): string {
    return this.text + this.calls.map((call) => call.name + call.arguments).join('');
  }
}
