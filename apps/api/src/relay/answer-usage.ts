import type { ModelUsage } from '../models/model-provider.ts';
import { countTokens } from '../models/tokens.ts';
import { readUsage } from '../models/usage-figures.ts';
import type { ResponseTail } from './answer-tail.ts';
import { parseEvent } from './sse-usage.ts';

/** Longer ones are no figures. */
const MAX_FIGURES_LENGTH = 4_096;
/** An answer has one place with figures; a server that writes many more gets them estimated. */
const MAX_PLACES = 16;

/**
 * The figures near the end of a JSON answer; null where it has none. The rest, maybe megabytes of vectors, is not
 * parsed. One pass over the text finds the places, and the last few of them are looked at.
 */
export function findUsage(tail: ResponseTail): ModelUsage | null {
  const text = tail.bytes().toString('latin1');
  const places: number[] = [];
  for (let at = text.indexOf('"usage"'); at >= 0; at = text.indexOf('"usage"', at + 1)) {
    const start = objectBehind(text, at + '"usage"'.length);
    if (start === null) continue;
    places.push(start);
    if (places.length > MAX_PLACES) places.shift();
  }
  for (const start of places.reverse()) {
    const usage = objectAt(text, start);
    if (typeof usage?.prompt_tokens === 'number') return readUsage(usage);
  }
  return null;
}

/** Counts the tokens of an answer that told no figures, from what is kept of it. */
export async function estimateCompletionTokens(tail: ResponseTail, streamed: boolean): Promise<number> {
  const bytes = tail.bytes();
  if (bytes.length === 0) return 0;
  const text = bytes.toString('utf8');
  const chunks = streamed ? text.split(/\r?\n\r?\n/).map(parseEvent) : [parsed(text)];
  const tokens = await countTokens(chunks.map(textOf).join(''));
  return Math.round((tokens * tail.total) / bytes.length);
}

/** How much of an answer a rough count looks at. */
const SAMPLE_BYTES = 8 * 1024;
const BYTES_PER_TOKEN = 4;

/** Counts as `estimateAnswer`, but at once and from little: for calls that still run. */
export function guessCompletionTokens(tail: ResponseTail, streamed: boolean): number {
  const sample = tail.bytes().subarray(-SAMPLE_BYTES);
  if (sample.length === 0) return 0;
  const text = sample.toString('utf8');
  // A JSON answer cannot be parsed before it is whole.
  const written = streamed
    ? text
        .split(/\r?\n\r?\n/)
        .map((event) => textOf(parseEvent(event)))
        .join('')
    : text;
  const tokens = Math.ceil(Buffer.byteLength(written) / BYTES_PER_TOKEN);
  return Math.round((tokens * tail.total) / sample.length);
}

/** Everything that the model wrote: text, reasoning, calls. */
function textOf(answer: unknown): string {
  const { choices } = (answer ?? {}) as { choices?: unknown };
  if (!Array.isArray(choices)) return '';
  return choices
    .map((choice: { delta?: Written; message?: Written } | null) =>
      writtenIn(choice?.delta ?? choice?.message),
    )
    .join('');
}

interface Written {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: unknown;
}

function writtenIn(message: Written | null | undefined): string {
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Where the object begins that is the value of a key; null where the value is none. */
function objectBehind(text: string, from: number): number | null {
  const gap = /^\s*:\s*(?=\{)/.exec(text.slice(from, from + 32));
  return gap && from + gap[0].length;
}

/** The object that begins there; the figures hold no text, so braces alone tell its end. */
function objectAt(text: string, start: number): Record<string, unknown> | null {
  let depth = 0;
  for (let at = start; at < Math.min(text.length, start + MAX_FIGURES_LENGTH); at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) {
      return parsed(text.slice(start, at + 1)) as Record<string, unknown> | null;
    }
  }
  return null;
}
