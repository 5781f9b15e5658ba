import type OpenAI from 'openai';
import type { FinishReason, ModelDelta, ModelUsage } from '../port/model-provider.ts';
import { badAnswer, brokeOff } from './openai-errors.ts';
import { readUsage } from '../pricing/usage-figures.ts';
import { isObject } from '../../infra/runtime/json.ts';

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

/** The average length of a token is shorter in every language. More text exceeds what was requested. */
const MAX_CHARACTERS_PER_TOKEN = 16;
const CHARACTERS_OF_SLACK = 65_536;
const MAX_CALLS = 128;
/** The most characters of all tool calls of a response, including names and ids. */
const MAX_CALLS_LENGTH = 1024 * 1024;
/** The most empty chunks, in addition to one for each token. */
const EMPTY_CHUNKS_OF_SLACK = 10_000;

/** Converts the chunks of a response to deltas. Trusts neither their fields nor their number. */
export class ChunkReader {
  private reason: FinishReason | null = null;
  private usage: ModelUsage | null = null;
  /** By the index that the server gives: the latest call with it, and our own index of that call. */
  private readonly calls = new Map<number, { id: string; index: number }>();
  private callCount = 0;
  private callsLength = 0;
  /** How many more characters of text are accepted. */
  private room: number;
  private emptyChunks: number;

  /** `maxTokens`: the most tokens that the model may write. */
  constructor(maxTokens: number) {
    this.room = maxTokens * MAX_CHARACTERS_PER_TOKEN + CHARACTERS_OF_SLACK;
    this.emptyChunks = maxTokens + EMPTY_CHUNKS_OF_SLACK;
  }

  /** Whether the text is longer than the tokens allow, so that the rest is not read. */
  isFull(): boolean {
    return this.room < 0;
  }

  /** Whether the model has finished, so that only the usage can follow. */
  get finished(): boolean {
    return this.reason !== null;
  }

  read(chunk: unknown): ModelDelta[] {
    if (!isObject(chunk)) throw badAnswer();
    if (chunk.error) throw brokeOff();
    const choice = Array.isArray(chunk.choices) ? (chunk.choices[0] as Choice | undefined) : undefined;
    const usage = chunk.usage ?? choice?.usage;
    // Some servers repeat the usage in every chunk; the last one counts.
    if (isObject(usage)) this.usage = readUsage(usage);
    const deltas = choice?.delta ? this.readDelta(choice.delta) : [];
    // Some servers send an empty reason with every piece.
    if (isText(choice?.finish_reason)) this.reason = FINISH[choice.finish_reason] ?? 'stop';
    if (deltas.length === 0 && --this.emptyChunks < 0) throw tooMuch('parts without content');
    if (this.isFull()) this.reason = 'length';
    return deltas;
  }

  /** Returns the last deltas. Throws if the response is incomplete. */
  end(): ModelDelta[] {
    if (this.reason === null) throw badAnswer();
    // Not every server reports tool calls in its finish reason.
    const reason = this.callCount > 0 && this.reason === 'stop' ? 'tool-calls' : this.reason;
    const finish: ModelDelta = { type: 'finish', reason };
    return this.usage ? [{ type: 'usage', ...this.usage }, finish] : [finish];
  }

  private readDelta(delta: Delta): ModelDelta[] {
    const deltas: ModelDelta[] = [];
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (isText(reasoning)) this.pushText(deltas, 'reasoning', reasoning);
    const text = delta.content ?? delta.refusal;
    if (isText(text)) this.pushText(deltas, 'text', text);
    if (Array.isArray(delta.tool_calls)) {
      for (const [position, call] of delta.tool_calls.entries()) deltas.push(this.readCall(call, position));
    }
    return deltas;
  }

  private pushText(deltas: ModelDelta[], type: 'text' | 'reasoning', text: string): void {
    const fitting = text.length <= this.room ? text : text.slice(0, Math.max(0, this.room));
    this.room -= text.length;
    if (fitting !== '') deltas.push({ type, text: fitting });
  }

  private readCall(call: unknown, position: number): ModelDelta {
    if (!isObject(call)) throw badAnswer();
    const made = isObject(call.function) ? call.function : {};
    const given = typeof call.index === 'number' ? call.index : position;
    const [id, name, json] = [call.id, made.name, made.arguments].map((text) => (isText(text) ? text : ''));
    const index = this.indexOf(given, id ?? '', name ?? '');
    if (this.callCount > MAX_CALLS) throw tooMuch(`more than ${MAX_CALLS} tool calls at once`);
    this.callsLength += `${id}${name}${json}`.length;
    if (this.callsLength > MAX_CALLS_LENGTH) throw tooMuch('tool calls of more than 1 MB');
    return { type: 'tool-call', index, ...(id && { id }), ...(name && { name }), arguments: json ?? '' };
  }

  /** Some servers give all calls of a response one index: then another id, together with a name, begins the next call. */
  private indexOf(given: number, id: string, name: string): number {
    const latest = this.calls.get(given);
    const isNext = name !== '' && id !== '' && latest?.id !== '' && id !== latest?.id;
    if (latest !== undefined && !isNext) return latest.index;
    const index = this.callCount++;
    this.calls.set(given, { id, index });
    return index;
  }
}

const tooMuch = (what: string) => badAnswer(`The model's server sent too much: ${what}.`);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
