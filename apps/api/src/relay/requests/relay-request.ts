import { AppError } from '../../infra/errors/app-error.ts';
import type { OpenAiPath } from '../../models/openai/openai-server.ts';
import { MEDIUM_TOKENS } from '../../models/port/tokens.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';

/** The part of a request that the relay interprets. The rest of the body concerns only the caller and the model. */
export interface RelayRequest {
  path: OpenAiPath;
  body: JsonObject;
  /** What the server receives if it is not `body`. */
  encoded?: { contentType: string; bytes: Buffer };
  stream: boolean;
  /** Whether the caller requested the usage in the stream. The Responses API always reports it. */
  includeUsage: boolean;
  /** Null if the caller sets no limit. */
  maxOutputTokens: number | null;
}

const MESSAGE_TOKENS = 4;
/** Fields of items that hold media. An image that a model has drawn is a `result`. */
const MEDIA_FIELDS = new Set(['image_url', 'file_data', 'file_url', 'file_id', 'result']);
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
  assertBoolean(stream, 'stream');
  if (options !== undefined && options !== null && !isObject(options)) {
    throw invalidField('stream_options', 'stream_options must be an object');
  }
  return {
    path: '/chat/completions',
    body,
    stream: stream === true,
    includeUsage: isObject(options) && options.include_usage === true,
    maxOutputTokens: limitOf(max),
  };
}

/** Parses a request of the Responses API. */
export function parseResponsesRequest(body: JsonObject): RelayRequest {
  const { input, stream, background, max_output_tokens: max } = body;
  const { previous_response_id: previous = null, conversation = null } = body;
  if (input !== undefined && input !== null && typeof input !== 'string' && !Array.isArray(input)) {
    throw invalidField('input', 'input must be a string or an array of items');
  }
  assertBoolean(stream, 'stream');
  assertBoolean(background, 'background');
  // The response ends before the model does, so its usage would never be known.
  if (background === true)
    throw invalidField('background', 'background must be false: the relay would not know the usage');
  // To the server, all callers are one, so it would hand over the conversations of all.
  if (conversation !== null)
    throw invalidField('conversation', 'conversation is not supported: use previous_response_id');
  if (previous !== null && typeof previous !== 'string')
    throw invalidField('previous_response_id', 'previous_response_id must be the id of a response');
  return {
    path: '/responses',
    body,
    stream: stream === true,
    includeUsage: true,
    maxOutputTokens: limitOf(max),
  };
}

function assertBoolean(value: unknown, name: string): void {
  if (value === undefined || value === null || typeof value === 'boolean') return;
  throw invalidField(name, `${name} must be true or false`);
}

const limitOf = (max: unknown) => (typeof max === 'number' && max >= 0 ? Math.floor(max) : null);

export function parseEmbeddingRequest(body: JsonObject): RelayRequest {
  if (typeof body.input !== 'string' && !(Array.isArray(body.input) && body.input.length > 0)) {
    throw invalidField('input', 'input must be a string or an array of strings or tokens');
  }
  return { path: '/embeddings', body, stream: false, includeUsage: false, maxOutputTokens: 0 };
}

/** Formats the body for the model server. Streams always request the usage, for the ledger. */
export function formatUpstreamBody(
  request: RelayRequest,
  model: string,
  requestUsage: boolean,
): string | Buffer {
  const { path, body, encoded, stream: streamed } = request;
  if (encoded !== undefined) return encoded.bytes;
  if (!streamed || !requestUsage || path !== '/chat/completions') return JSON.stringify({ ...body, model });
  const options = isObject(body.stream_options) ? body.stream_options : {};
  return JSON.stringify({ ...body, model, stream_options: { ...options, include_usage: true } });
}

/** Collects the prompt: its text, and the tokens of everything else. */
export function collectPrompt({ path, body }: RelayRequest): { text: string; otherTokens: number } {
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
  const withoutMedia = (field: string, value: unknown) => {
    if (typeof value !== 'string' || !MEDIA_FIELDS.has(field)) return value;
    otherTokens += MEDIUM_TOKENS;
    return undefined;
  };
  if (path === '/responses' && Array.isArray(body.input)) {
    collect(body.instructions);
    for (const item of body.input as unknown[]) {
      otherTokens += MESSAGE_TOKENS;
      // A message, or a call of a function, its result, and the like.
      if (isObject(item) && item.content !== undefined) collect(item.content);
      else texts.push(JSON.stringify(item, withoutMedia));
    }
  } else collect([body.instructions, body.input]);
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
