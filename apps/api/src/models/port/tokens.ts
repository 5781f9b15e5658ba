import { setImmediate } from 'node:timers/promises';
import type { ModelMessage, ModelPart, ModelTool } from './model-provider.ts';

/** The tokens that an image, a recording, or a file counts as, whatever its size. */
export const MEDIUM_TOKENS = 1_000;

// Roles and separators, as OpenAI counts them.
const MESSAGE_TOKENS = 4;
const CALL_TOKENS = 8;
const ANSWER_TOKENS = 3;

const EXACT_LIMIT = 200_000;
// The time of the encoder is quadratic in the length of a word, and a text can be a single word.
const SLICE = 4_000;
const SLICES_PER_TURN = 8;

type Counter = (text: string) => number;

let counter: Promise<Counter> | undefined;

/** Loads the o200k encoding once, which takes 0.25 s. Returns a counter for short texts. */
export function tokenCounter(): Promise<Counter> {
  counter ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    // The text is data: what looks like a special token is normal text.
    const options = { disallowedSpecial: new Set<string>() };
    return (text) => countTokens(text, options);
  });
  return counter;
}

/** Counts the tokens of a text; beyond 200,000 characters, a quarter of the length. Yields to other work in between. */
export async function countTokens(text: string): Promise<number> {
  if (text.length > EXACT_LIMIT) return Math.ceil(text.length / 4);
  const count = await tokenCounter();
  let tokens = 0;
  for (let from = 0, slices = 1; from < text.length; from += SLICE, slices++) {
    tokens += count(text.slice(from, from + SLICE));
    if (slices % SLICES_PER_TURN === 0) await setImmediate();
  }
  return tokens;
}

/** Estimates the tokens of a prompt. Each medium counts as 1,000. */
export async function estimatePrompt(messages: ModelMessage[], tools: ModelTool[] = []): Promise<number> {
  let tokens = ANSWER_TOKENS;
  for (const message of messages) tokens += MESSAGE_TOKENS + (await messageTokens(message));
  for (const tool of tools) {
    tokens +=
      CALL_TOKENS + (await countTokens(tool.name + tool.description + JSON.stringify(tool.parameters)));
  }
  return tokens;
}

async function messageTokens(message: ModelMessage): Promise<number> {
  switch (message.role) {
    case 'system':
    case 'tool':
      return countTokens(message.text);
    case 'user':
      return sum(message.parts, partTokens);
    case 'assistant':
      return (
        (await countTokens(message.text)) +
        (await sum(
          message.toolCalls,
          async (call) => CALL_TOKENS + (await countTokens(call.name + call.arguments)),
        ))
      );
  }
}

async function partTokens(part: ModelPart): Promise<number> {
  return part.type === 'text' ? countTokens(part.text) : MEDIUM_TOKENS;
}

async function sum<T>(items: T[], tokens: (item: T) => Promise<number>): Promise<number> {
  let total = 0;
  for (const item of items) total += await tokens(item);
  return total;
}
