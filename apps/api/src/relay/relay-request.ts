import { AppError } from '../infra/http/app-error.ts';
import { MEDIUM_TOKENS } from '../models/tokens.ts';
import { isObject, type JsonObject } from '../infra/json.ts';

/** A call as the relay understands it; the rest of the body is between the caller and the model. */
export interface RelayRequest {
  path: '/chat/completions' | '/embeddings';
  body: JsonObject;
  stream: boolean;
  /** The caller wants the figures in the stream. */
  includeUsage: boolean;
  /** Null: the caller sets no limit. */
  maxOutputTokens: number | null;
}

const MESSAGE_TOKENS = 4;
/** As long as names of models may be. */
const MAX_NAME_LENGTH = 200;

/** What is wrong with a field of the caller's. */
export function invalidField(param: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { openai: { param } });
}

/** The model that the body names. */
export function parseModelName(body: unknown): string {
  if (!isObject(body)) throw new AppError('VALIDATION_ERROR', 'The body must be a JSON object');
  const { model } = body;
  // PostgreSQL refuses U+0000 and lone surrogates.
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
    max_tokens: old,
    max_completion_tokens: max = old,
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
    throw invalidField('input', 'input must be a text or an array of texts or tokens');
  }
  return { path: '/embeddings', body, stream: false, includeUsage: false, maxOutputTokens: 0 };
}

/** The body as the model's server gets it; figures are asked for in every stream, for the ledger. */
export function formatUpstreamBody(request: RelayRequest, model: string, askUsage: boolean): string {
  const { body, stream: streamed } = request;
  if (!streamed || !askUsage) return JSON.stringify({ ...body, model });
  const options = isObject(body.stream_options) ? body.stream_options : {};
  return JSON.stringify({ ...body, model, stream_options: { ...options, include_usage: true } });
}

/** What the model is to read: its text, and tokens for what is none. */
export function collectPrompt({ body }: RelayRequest): { text: string; more: number } {
  const texts: string[] = [];
  let more = 0;
  const take = (content: unknown) => {
    if (typeof content === 'string') texts.push(content);
    else if (typeof content === 'number') more++;
    else if (Array.isArray(content)) content.forEach(take);
    else if (isObject(content)) {
      if (typeof content.text === 'string') texts.push(content.text);
      else more += MEDIUM_TOKENS;
    }
  };
  take(body.input);
  for (const message of (body.messages ?? []) as JsonObject[]) {
    more += MESSAGE_TOKENS;
    take(message.content);
    if (message.tool_calls !== undefined) texts.push(JSON.stringify(message.tool_calls));
  }
  if (body.tools !== undefined) texts.push(JSON.stringify(body.tools));
  return { text: texts.join('\n'), more };
}

/** The prompt's tokens by its length, for a hold: no caller waits for a tokenizer. */
export function estimatePromptTokens(request: RelayRequest): number {
  const { text, more } = collectPrompt(request);
  return Math.ceil(Buffer.byteLength(text) / 4) + more;
}
