import { randomUUID } from 'node:crypto';
import { modelCallSeconds } from '../../infra/metrics/measures.ts';
import type { ModelRequest, ModelToolCall, ModelUsage } from '../../models/port/model-provider.ts';
import { countTokens, estimatePrompt } from '../../models/port/tokens.ts';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import type { StepMeasures } from '../records/steps.ts';
import type { ActiveTurn } from './active-turn.ts';
import { readArguments } from './tool-arguments.ts';

/** One model call and its output so far, which remains if the call fails. */
export class ModelCall {
  readonly messageId = randomUUID();
  text = '';
  /** Whether the model has sent anything. From then on, the call is charged however it ends. */
  began = false;
  /** Set once its usage is part of the turn's. */
  charged = false;
  private readonly calls = new Map<number, ModelToolCall>();
  private reasoning = '';
  finish: 'stop' | 'length' | 'tool-calls' | 'content-filter' | null = null;
  private usage: ModelUsage | null = null;
  private block: { type: 'text' | 'reasoning'; index: number; content: string } | null = null;
  private blocks = 0;
  private readonly begunAt = performance.now();
  private firstAt: number | null = null;
  private endedAt: number | null = null;

  constructor(
    private readonly turn: ActiveTurn,
    private readonly request: ModelRequest,
  ) {}

  /** Calls the model and turns its deltas into frames; throws what the provider throws. */
  async run(): Promise<void> {
    const measure = modelCallSeconds.startTimer();
    try {
      await this.stream();
      measure({ outcome: 'completed' });
    } catch (error) {
      measure({ outcome: this.turn.signal.aborted ? 'stopped' : 'failed' });
      throw error;
    }
  }

  private async stream(): Promise<void> {
    const { writer, model, signal } = this.turn;
    writer.writeFrame('messages', { event: 'message-start', role: 'ai', id: this.messageId });
    for await (const delta of model.provider.stream(this.request, signal, () => writer.pace())) {
      this.began = true;
      this.firstAt ??= performance.now();
      switch (delta.type) {
        case 'text':
          this.openBlock('text').content += delta.text;
          this.text += delta.text;
          writer.writeDelta(delta.text);
          break;
        case 'reasoning': {
          const block = this.openBlock('reasoning');
          block.content += delta.text;
          this.reasoning += delta.text;
          const reasoning = { type: 'reasoning-delta', reasoning: delta.text };
          writer.writeFrame('messages', {
            event: 'content-block-delta',
            index: block.index,
            delta: reasoning,
          });
          break;
        }
        case 'tool-call': {
          const call = this.callAt(delta.index);
          // PostgreSQL cannot store U+0000 in text.
          if (delta.id) call.id = this.uniqueId(call, delta.id.replaceAll('\0', ''));
          if (delta.name !== undefined) call.name = delta.name;
          call.arguments += delta.arguments;
          break;
        }
        case 'usage':
          this.usage = delta;
          break;
        case 'finish':
          this.finish = delta.reason;
          break;
      }
      if (writer.isFull) await writer.waitForRoom();
    }
    this.endedAt = performance.now();
    this.closeBlock();
    for (const call of this.toolCalls) this.showCall(writer, call);
  }

  /** How long the call took, or has taken so far. */
  measures(): Pick<StepMeasures, 'durationMs' | 'firstTokenMs'> {
    const since = (time: number) => Math.round(time - this.begunAt);
    return {
      durationMs: since(this.endedAt ?? performance.now()),
      ...(this.firstAt !== null && { firstTokenMs: since(this.firstAt) }),
    };
  }

  /** The tool calls that the model requests, in its order. One that is cut off is none: again, it would be cut off again. */
  get toolCalls(): ModelToolCall[] {
    const calls = [...this.calls.values()];
    return this.finish === 'length' ? calls.filter(isWhole) : calls;
  }

  /** The usage of the step: the provider's figures, or a local count if it reported none. */
  async used(): Promise<{ usage: ModelUsage; estimated: boolean }> {
    if (this.usage) return { usage: this.usage, estimated: false };
    const said =
      this.reasoning +
      this.text +
      [...this.calls.values()].map((call) => call.name + call.arguments).join('');
    const usage = {
      promptTokens: await estimatePrompt(this.request.messages, this.request.tools),
      completionTokens: await countTokens(said),
      cachedTokens: 0,
      reasoningTokens: 0,
    };
    return { usage, estimated: true };
  }

  /** Closes the message in the stream. */
  finishMessage(usage: ModelUsage): void {
    this.closeBlock();
    this.turn.writer.writeFrame('messages', {
      event: 'message-finish',
      reason: this.toolCalls.length > 0 ? 'tool_use' : this.finish === 'length' ? 'length' : 'stop',
      usage: {
        input_tokens: usage.promptTokens,
        output_tokens: usage.completionTokens,
        total_tokens: usage.promptTokens + usage.completionTokens,
        input_token_details: { cache_read: usage.cachedTokens },
        output_token_details: { reasoning: usage.reasoningTokens },
      },
    });
  }

  /** Servers count calls from 0, from 1 or with gaps, and some give them no id. */
  private callAt(index: number): ModelToolCall {
    const known = this.calls.get(index);
    if (known) return known;
    const call = { id: `call_${randomUUID()}`, name: '', arguments: '' };
    this.calls.set(index, call);
    return call;
  }

  /** Some servers number the calls of each answer from 1, but a call is identified by its id. */
  private uniqueId(call: ModelToolCall, id: string): string {
    const others = [...this.calls.values()].filter((other) => other !== call);
    const earlier = this.turn.steps.flatMap((step) => (step.kind === 'model' ? step.content.toolCalls : []));
    return id === '' || [...others, ...earlier].some((other) => other.id === id)
      ? `call_${randomUUID()}`
      : id;
  }

  private openBlock(type: 'text' | 'reasoning'): { index: number; content: string } {
    if (this.block?.type === type) return this.block;
    this.closeBlock();
    this.block = { type, index: this.blocks++, content: '' };
    const content = type === 'text' ? { type, text: '' } : { type, reasoning: '' };
    this.turn.writer.writeFrame('messages', {
      event: 'content-block-start',
      index: this.block.index,
      content,
    });
    return this.block;
  }

  private closeBlock(): void {
    if (this.block === null) return;
    const { type, index, content: whole } = this.block;
    const content = type === 'text' ? { type, text: whole } : { type, reasoning: whole };
    this.turn.writer.writeFrame('messages', { event: 'content-block-finish', index, content });
    this.block = null;
  }

  private showCall(writer: StreamWriter, { id, name, arguments: args }: ModelToolCall): void {
    const index = this.blocks++;
    const start = { type: 'tool_call_chunk', id, name, args: '', index };
    writer.writeFrame('messages', { event: 'content-block-start', index, content: start });
    const read = readArguments(args);
    const content = { type: 'tool_call', id, name, args: typeof read === 'string' ? {} : read };
    writer.writeFrame('messages', { event: 'content-block-finish', index, content });
  }
}

function isWhole({ arguments: json }: ModelToolCall): boolean {
  return json !== '' && typeof readArguments(json) !== 'string';
}
