import { randomUUID } from 'node:crypto';
import type { AppError } from '../../infra/errors/app-error.ts';
import { openAiBody } from '../../infra/errors/openai-error.ts';
import type { FinishReason, ModelDelta, ModelUsage } from '../../models/port/model-provider.ts';
import type { CollectedResponse } from './collected-response.ts';
import { formatEvent, type ResponseFormat } from './response-format.ts';

const FINISH: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/** Chat completions. */
export class CompletionFormat implements ResponseFormat {
  private readonly head;

  constructor(
    model: string,
    private readonly includeUsage: boolean,
    private readonly response: CollectedResponse,
  ) {
    this.head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model };
  }

  /** The first chunk contains the role. */
  open(): string {
    return this.choice({ role: 'assistant', content: '' });
  }

  add(delta: ModelDelta): string {
    switch (delta.type) {
      case 'text':
        return this.choice({ content: delta.text });
      case 'reasoning':
        return this.choice({ reasoning_content: delta.text });
      case 'tool-call': {
        const { index, id, name, arguments: json } = delta;
        const called = { ...(name !== undefined && { name }), arguments: json };
        const call = { index, ...(id !== undefined && { id, type: 'function' }), function: called };
        return this.choice({ tool_calls: [call] });
      }
      case 'finish':
        return this.choice({}, FINISH[delta.reason]);
      case 'usage':
        return '';
    }
  }

  close(): string {
    const { usage } = this.response;
    const told = this.includeUsage && usage ? this.chunk({ choices: [], usage: formatUsage(usage) }) : '';
    return `${told}data: [DONE]\n\n`;
  }

  /** Clients throw it. */
  fail(error: AppError): string {
    return formatEvent(openAiBody(error));
  }

  whole(): object {
    const { text, usage, reason } = this.response;
    const calls = this.response.calls.map(({ id, name, arguments: json }) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    }));
    const message = {
      role: 'assistant',
      content: text === '' && calls.length > 0 ? null : text,
      refusal: null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return {
      ...this.head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[reason] }],
      ...(usage && { usage: formatUsage(usage) }),
    };
  }

  private choice(delta: object, reason: string | null = null): string {
    return this.chunk({ choices: [{ index: 0, delta, finish_reason: reason }] });
  }

  private chunk(fields: object): string {
    return formatEvent({ ...this.head, object: 'chat.completion.chunk', ...fields });
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
