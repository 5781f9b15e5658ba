import type OpenAI from 'openai';
import { readUsage } from './usage-figures.ts';
import { ProviderError, type FinishReason, type ModelDelta, type ModelUsage } from './model-provider.ts';

/** What servers add to OpenAI's shape. */
type Delta = OpenAI.Chat.ChatCompletionChunk.Choice.Delta & {
  reasoning_content?: unknown;
  reasoning?: unknown;
};
type Choice = Omit<OpenAI.Chat.ChatCompletionChunk.Choice, 'delta'> & {
  delta?: Delta | null;
  usage?: unknown;
};

const FINISH: Record<string, FinishReason> = {
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
};

/** Turns the chunks of one answer into deltas; trusts no field of theirs. */
export class ChunkReader {
  private reason: FinishReason | null = null;
  private usage: ModelUsage | null = null;
  private called = false;

  /** Whether the model has said that it is done; only figures may still come. */
  get finished(): boolean {
    return this.reason !== null;
  }

  read(chunk: unknown): ModelDelta[] {
    if (!isObject(chunk)) throw badAnswer();
    const choice = Array.isArray(chunk.choices) ? (chunk.choices[0] as Choice | undefined) : undefined;
    const usage = chunk.usage ?? choice?.usage;
    // Some servers repeat the figures in every chunk; the last ones count.
    if (isObject(usage)) this.usage = readUsage(usage);
    if (!choice) return [];
    const deltas = choice.delta ? this.readDelta(choice.delta) : [];
    if (typeof choice.finish_reason === 'string') this.reason = FINISH[choice.finish_reason] ?? 'stop';
    return deltas;
  }

  /** The last deltas; throws when the answer has no end. */
  end(): ModelDelta[] {
    if (this.reason === null) throw badAnswer();
    // Not every server tells a call by its finish reason.
    const reason = this.called && this.reason === 'stop' ? 'tool-calls' : this.reason;
    const finish: ModelDelta = { type: 'finish', reason };
    return this.usage ? [{ type: 'usage', ...this.usage }, finish] : [finish];
  }

  private readDelta(delta: Delta): ModelDelta[] {
    const deltas: ModelDelta[] = [];
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (isText(reasoning)) deltas.push({ type: 'reasoning', text: reasoning });
    const text = delta.content ?? delta.refusal;
    if (isText(text)) deltas.push({ type: 'text', text });
    if (Array.isArray(delta.tool_calls)) {
      this.called = true;
      for (const [position, call] of delta.tool_calls.entries()) deltas.push(readCall(call, position));
    }
    return deltas;
  }
}

function readCall(call: unknown, position: number): ModelDelta {
  if (!isObject(call)) throw badAnswer();
  const made = isObject(call.function) ? call.function : {};
  return {
    type: 'tool-call',
    index: typeof call.index === 'number' ? call.index : position,
    ...(isText(call.id) && { id: call.id }),
    ...(isText(made.name) && { name: made.name }),
    arguments: typeof made.arguments === 'string' ? made.arguments : '',
  };
}

const badAnswer = () =>
  new ProviderError('bad-answer', "The model's server sent an answer that is cut off or cannot be read.");

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
