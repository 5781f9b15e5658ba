import { randomUUID } from 'node:crypto';
import type { AppError } from '../../infra/errors/app-error.ts';
import type { JsonObject } from '../../infra/runtime/json.ts';
import type { ModelDelta, ModelUsage } from '../../models/port/model-provider.ts';
import type { CollectedResponse } from './collected-response.ts';
import type { ResponseFormat } from './response-format.ts';

type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed';

const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/** The Responses API. Nothing is stored. */
export class ResponsesFormat implements ResponseFormat {
  private readonly head;
  private readonly messageId = newId('msg');
  private readonly callIds: string[] = [];
  private sequence = 0;
  private hasMessage = false;

  constructor(
    model: string,
    private readonly asked: JsonObject,
    private readonly response: CollectedResponse,
  ) {
    const created = Math.floor(Date.now() / 1000);
    this.head = { id: newId('resp'), object: 'response', created_at: created, model };
  }

  open(): string {
    const response = this.object('in_progress', []);
    return this.event('response.created', { response }) + this.event('response.in_progress', { response });
  }

  add(delta: ModelDelta): string {
    switch (delta.type) {
      case 'text': {
        const begin = this.hasMessage ? '' : this.beginMessage();
        return (
          begin +
          this.event('response.output_text.delta', { ...this.part(), delta: delta.text, logprobs: [] })
        );
      }
      case 'tool-call': {
        const begin = this.callIds[delta.index] === undefined ? this.beginCall(delta.index) : '';
        const at = this.callAt(delta.index);
        return (
          begin + this.event('response.function_call_arguments.delta', { ...at, delta: delta.arguments })
        );
      }
      case 'reasoning':
      case 'usage':
      case 'finish':
        return '';
    }
  }

  close(): string {
    const ends = this.response.calls.map((_, i) => this.endCall(i)).join('');
    const status = this.status();
    return (
      (this.hasMessage ? this.endMessage() : '') +
      ends +
      this.event(`response.${status}`, { response: this.object(status, this.output(status)) })
    );
  }

  fail({ message }: AppError): string {
    const error = { code: 'server_error', message };
    const response = { ...this.object('failed', this.output('incomplete')), error };
    return this.event('response.failed', { response });
  }

  whole(): object {
    const status = this.status();
    return this.object(status, this.output(status));
  }

  private status(): 'completed' | 'incomplete' {
    return this.response.reason === 'length' ? 'incomplete' : 'completed';
  }

  private object(status: Status, output: object[]): object {
    const { asked } = this;
    const { usage } = this.response;
    const isIncomplete = status === 'incomplete';
    return {
      ...this.head,
      status,
      background: false,
      error: null,
      incomplete_details: isIncomplete ? { reason: 'max_output_tokens' } : null,
      instructions: asked.instructions ?? null,
      max_output_tokens: asked.max_output_tokens ?? null,
      metadata: asked.metadata ?? {},
      output,
      parallel_tool_calls: asked.parallel_tool_calls ?? true,
      previous_response_id: null,
      store: false,
      temperature: asked.temperature ?? 1,
      text: asked.text ?? { format: { type: 'text' } },
      tool_choice: asked.tool_choice ?? 'auto',
      tools: asked.tools ?? [],
      top_p: asked.top_p ?? 1,
      truncation: 'disabled',
      usage: usage && status !== 'in_progress' ? formatUsage(usage) : null,
    };
  }

  private output(status: 'completed' | 'incomplete'): object[] {
    const { text, calls } = this.response;
    return [
      ...(text === '' && calls.length > 0 ? [] : [this.message(status)]),
      ...calls.map((_, i) => this.call(i)),
    ];
  }

  private message(status: Status): object {
    const content = status === 'in_progress' ? [] : [textPart(this.response.text)];
    return { id: this.messageId, type: 'message', status, role: 'assistant', content };
  }

  private call(index: number, status: Status = 'completed'): object {
    const { id = '', name = '', arguments: json = '' } = this.response.calls[index] ?? {};
    const text = status === 'in_progress' ? '' : json;
    return { id: this.callId(index), type: 'function_call', status, call_id: id, name, arguments: text };
  }

  private callId(index: number): string {
    return (this.callIds[index] ??= newId('fc'));
  }

  /** Where the text is in the output. */
  private part() {
    return { output_index: 0, item_id: this.messageId, content_index: 0 };
  }

  private callAt(index: number) {
    return { output_index: index + (this.hasMessage ? 1 : 0), item_id: this.callId(index) };
  }

  private beginMessage(): string {
    this.hasMessage = true;
    return (
      this.event('response.output_item.added', { output_index: 0, item: this.message('in_progress') }) +
      this.event('response.content_part.added', { ...this.part(), part: textPart('') })
    );
  }

  private endMessage(): string {
    const { text } = this.response;
    return (
      this.event('response.output_text.done', { ...this.part(), text, logprobs: [] }) +
      this.event('response.content_part.done', { ...this.part(), part: textPart(text) }) +
      this.event('response.output_item.done', { output_index: 0, item: this.message(this.status()) })
    );
  }

  private beginCall(index: number): string {
    const { output_index } = this.callAt(index);
    return this.event('response.output_item.added', { output_index, item: this.call(index, 'in_progress') });
  }

  private endCall(index: number): string {
    const at = this.callAt(index);
    const { arguments: json = '', name = '' } = this.response.calls[index] ?? {};
    return (
      this.event('response.function_call_arguments.done', { ...at, name, arguments: json }) +
      this.event('response.output_item.done', { output_index: at.output_index, item: this.call(index) })
    );
  }

  private event(type: string, fields: object): string {
    const data = { type, sequence_number: this.sequence++, ...fields };
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

function formatUsage({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: ModelUsage): object {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
