import { parseJson } from '../../infra/runtime/json.ts';
import type { ModelUsage } from '../../models/port/model-provider.ts';
import { countTokens } from '../../models/port/tokens.ts';
import { readUsage } from '../../models/pricing/usage-figures.ts';
import type { ResponseTail } from './response-tail.ts';
import { parseEvent } from './sse-events.ts';
import { findUsageKey } from './sse-usage.ts';

/** The maximum length of a usage object. */
const MAX_USAGE_LENGTH = 4_096;
/** How many of the last candidates are considered. A valid response has only one. */
const MAX_CANDIDATES = 16;

/**
 * Finds the usage near the end of a JSON response; null if it has none. The rest, possibly megabytes of vectors, is not
 * parsed: one pass over the bytes finds the candidates, and only the last few are parsed.
 */
export function findUsage(tail: ResponseTail): ModelUsage | null {
  const bytes = tail.bytes();
  const candidates: number[] = [];
  for (let at = findUsageKey(bytes, 0); at >= 0; at = findUsageKey(bytes, at)) {
    const start = findObjectAfter(bytes, at);
    if (start === null) continue;
    candidates.push(start);
    if (candidates.length > MAX_CANDIDATES) candidates.shift();
  }
  for (const start of candidates.reverse()) {
    const usage = parseObjectAt(bytes, start);
    if (typeof (usage?.prompt_tokens ?? usage?.input_tokens) === 'number') return usage && readUsage(usage);
  }
  return null;
}

/** Counts the tokens of a response without usage, extrapolated from the part that was kept. */
export async function estimateCompletionTokens(tail: ResponseTail, streamed: boolean): Promise<number> {
  const bytes = tail.bytes();
  if (bytes.length === 0) return 0;
  const text = bytes.toString('utf8');
  const chunks = streamed ? text.split(/\r?\n\r?\n/).map(parseEvent) : [parseWhole(text)];
  const tokens = await countTokens(chunks.map(extractText).join(''));
  return Math.round((tokens * tail.total) / bytes.length);
}

/** How much of a response an approximate count reads. */
const SAMPLE_BYTES = 2 * 1024;
const BYTES_PER_TOKEN = 4;

/** Like `estimateCompletionTokens`, but synchronous and from a small sample, for running calls. */
export function guessCompletionTokens(tail: ResponseTail, streamed: boolean): number {
  const sample = tail.bytes().subarray(-SAMPLE_BYTES);
  if (sample.length === 0) return 0;
  const text = sample.toString('utf8');
  // A JSON response cannot be parsed before it is complete.
  const written = streamed
    ? text
        .split(/\r?\n\r?\n/)
        .map((event) => extractText(parseEvent(event)))
        .join('')
    : text;
  const tokens = Math.ceil(Buffer.byteLength(written) / BYTES_PER_TOKEN);
  return Math.round((tokens * tail.total) / sample.length);
}

/** Returns everything that the model generated: text, reasoning, and tool calls. */
function extractText(response: unknown): string {
  const { type, choices, output, delta, text } = (response ?? {}) as {
    type?: unknown;
    text?: unknown;
    choices?: unknown;
    output?: unknown;
    delta?: unknown;
  };
  // The Responses API: a piece of a stream, or the complete response.
  if (typeof delta === 'string') return delta;
  // A transcription. The events of a stream have a type, and the last of them repeats the text.
  if (typeof text === 'string' && type === undefined) return text;
  if (Array.isArray(output)) return extractOutputText(output as (OutputItem | null)[]);
  if (!Array.isArray(choices)) return '';
  return choices
    .map((choice: { delta?: Written; message?: Written } | null) =>
      extractMessageText(choice?.delta ?? choice?.message),
    )
    .join('');
}

interface OutputItem {
  content?: unknown;
  summary?: unknown;
  arguments?: unknown;
}

function extractOutputText(items: (OutputItem | null)[]): string {
  const parts = items.flatMap((item) => [
    ...[item?.content, item?.summary].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : [])),
    item?.arguments,
  ]);
  return parts
    .map((part) => (typeof part === 'string' ? part : (part as { text?: unknown } | null | undefined)?.text))
    .filter((text) => typeof text === 'string')
    .join('');
}

interface Written {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: unknown;
}

function extractMessageText(message: Written | null | undefined): string {
  const { content, refusal, reasoning_content, reasoning, tool_calls } = message ?? {};
  const calls = Array.isArray(tool_calls) ? (tool_calls as ({ function?: Called } | null)[]) : [];
  const written = calls.flatMap((call) => [call?.function?.name, call?.function?.arguments]);
  return [reasoning_content ?? reasoning, content ?? refusal, ...written]
    .filter((text) => typeof text === 'string')
    .join('');
}

interface Called {
  name?: unknown;
  arguments?: unknown;
}

/** A response that is not JSON is a transcription. */
function parseWhole(text: string): unknown {
  return text.startsWith('{') ? parseJson(text) : { text };
}

/** Returns the position of the object that is the value of a key, or null if the value is not an object. */
function findObjectAfter(bytes: Buffer, from: number): number | null {
  const gap = /^\s*:\s*(?=\{)/.exec(bytes.toString('latin1', from, from + 32));
  return gap && from + gap[0].length;
}

/** Parses the object at a position. A usage object contains no strings with braces, so counting braces finds its end. */
function parseObjectAt(bytes: Buffer, start: number): Record<string, unknown> | null {
  const text = bytes.toString('latin1', start, start + MAX_USAGE_LENGTH);
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) {
      return parseJson(text.slice(0, at + 1)) as Record<string, unknown> | null;
    }
  }
  return null;
}
