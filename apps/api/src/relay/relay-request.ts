import { AppError } from '../infra/http/app-error.ts';
import { MEDIUM_TOKENS } from '../models/tokens.ts';
import { isObject, type JsonObject } from '../infra/json.ts';

/** The part of a request that the relay interprets. The rest of the body concerns only the caller and the model. */
export interface RelayRequest {
  path: '/chat/completions' | '/embeddings';
  body: JsonObject;
  stream: boolean;
  /** Whether the caller requested the usage in the stream. */
  includeUsage: boolean;
  /** Null if the caller sets no limit. */
  maxOutputTokens: number | null;
}

const MESSAGE_TOKENS = 4;
/** The maximum length of the name of a model. */
const MAX_NAME_LENGTH = 200;

/** Returns the error for an invalid field. */
export function invalidField(param: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { openai: { param } });
}

/** Returns the name of the requested model. */
export function parseModelName(body: unknown): string {
  if (!isObject(body)) throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object');
  const { model } = body;
  // PostgreSQL rejects U+0000 and lone surrogates.
  if (typeof model !== 'string' || model === '' || /\0/.test(model) || !model.isWellFormed()) {
    throw invalidField('model', 'model must be the name of a model');
  }
  if (model.length > MAX_NAME_LENGTH) {
    throw invalidField('model', `model must be a name of at most ${MAX_NAME_LENGTH} characters`);
  }
  return model;
}

export function parseCompletionRequest(body: JsonObject): RelayRequest {
  const {
    messages,
    stream,
    stream_options: options,
    max_tokens: legacyMax,
    max_completion_tokens: max = legacyMax,
  } = body;
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isObject)) {
    throw invalidField('messages', 'messages must be an array of at least one message');
  }
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalidField('stream', 'stream must be true or false');
  }
  if (options !== undefined && options !== null && !isObject(options)) {
    throw invalidField('stream_options', 'stream_options must be an object');
  }
  return {
    path: '/chat/completions',
    body,
    stream: stream === true,
    includeUsage: isObject(options) && options.include_usage === true,
    maxOutputTokens: typeof max === 'number' && max >= 0 ? Math.floor(max) : null,
  };
}

export function parseEmbeddingRequest(body: JsonObject): RelayRequest {
  if (typeof body.input !== 'string' && !(Array.isArray(body.input) && body.input.length > 0)) {
    throw invalidField('input', 'input must be a string or an array of strings or tokens');
  }
  return { path: '/embeddings', body, stream: false, includeUsage: false, maxOutputTokens: 0 };
}

/** Formats the body for the model server. Streams always request the usage, for the ledger. */
export function formatUpstreamBody(request: RelayRequest, model: string, requestUsage: boolean): string {
  const { body, stream: streamed } = request;
  if (!streamed || !requestUsage) return JSON.stringify({ ...body, model });
  const options = isObject(body.stream_options) ? body.stream_options : {};
  return JSON.stringify({ ...body, model, stream_options: { ...options, include_usage: true } });
}

/** Collects the prompt: its text, and the tokens of everything else. */
export function collectPrompt({ body }: RelayRequest): { text: string; otherTokens: number } {
  const texts: string[] = [];
  let otherTokens = 0;
  const collect = (content: unknown) => {
    if (typeof content === 'string') texts.push(content);
    else if (typeof content === 'number') otherTokens++;
    else if (Array.isArray(content)) content.forEach(collect);
    else if (isObject(content)) {
      if (typeof content.text === 'string') texts.push(content.text);
      else otherTokens += MEDIUM_TOKENS;
    }
  };
  collect(body.input);
  for (const message of (body.messages ?? []) as JsonObject[]) {
    otherTokens += MESSAGE_TOKENS;
    collect(message.content);
    if (message.tool_calls !== undefined) texts.push(JSON.stringify(message.tool_calls));
  }
  if (body.tools !== undefined) texts.push(JSON.stringify(body.tools));
  return { text: texts.join('\n'), otherTokens };
}

/** Estimates the tokens of the prompt by its length for a reservation, so that no caller waits for a tokenizer. */
export function estimatePromptTokens(request: RelayRequest): number {
  const { text, otherTokens } = collectPrompt(request);
  return Math.ceil(Buffer.byteLength(text) / 4) + otherTokens;
}
