import type { FinishReason, ModelDelta, ModelToolCall, ModelUsage } from '../models/port/model-provider.ts';

const FINISH: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/** The fields that every chunk of a response, or the complete response, begins with. */
export interface ResponseHead {
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
}

/** Formats a delta as a chunk of an OpenAI stream; null for the usage, which comes last. */
export function formatChunk(head: ResponseHead, delta: ModelDelta): object | null {
  const chunk = (choice: object, reason: string | null = null) => ({
    ...chunkHead(head),
    choices: [{ index: 0, delta: choice, finish_reason: reason }],
  });
  switch (delta.type) {
    case 'text':
      return chunk({ content: delta.text });
    case 'reasoning':
      return chunk({ reasoning_content: delta.text });
    case 'tool-call': {
      const { index, id, name, arguments: json } = delta;
      const called = { ...(name !== undefined && { name }), arguments: json };
      const call = { index, ...(id !== undefined && { id, type: 'function' }), function: called };
      return chunk({ tool_calls: [call] });
    }
    case 'finish':
      return chunk({}, FINISH[delta.reason]);
    case 'usage':
      return null;
  }
}

/** Formats the first chunk, which contains the role. */
export function formatFirstChunk(head: ResponseHead): object {
  const delta = { role: 'assistant', content: '' };
  return { ...chunkHead(head), choices: [{ index: 0, delta, finish_reason: null }] };
}

/** Formats the chunk with the usage. */
export function formatUsageChunk(head: ResponseHead, usage: ModelUsage): object {
  return { ...chunkHead(head), choices: [], usage: formatUsage(usage) };
}

const chunkHead = (head: ResponseHead) => ({ ...head, object: 'chat.completion.chunk' });

/** Collects the deltas of one response. */
export class CollectedResponse {
  usage: ModelUsage | null = null;
  private text = '';
  private reason: FinishReason = 'stop';
  private readonly calls: ModelToolCall[] = [];

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

  /** Formats the complete response. */
  completion(head: ResponseHead): object {
    const calls = this.calls.map(({ id, name, arguments: json }) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    }));
    const message = {
      role: 'assistant',
      content: this.text === '' && calls.length > 0 ? null : this.text,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: FINISH[this.reason] }],
      ...(this.usage && { usage: formatUsage(this.usage) }),
    };
  }
}

function formatUsage({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: ModelUsage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
