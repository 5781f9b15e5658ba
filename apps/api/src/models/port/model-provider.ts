export type ModelPart =
  | { type: 'text'; text: string }
  /** An http(s) address or a data URI, passed on unchanged. */
  | { type: 'image'; url: string; detail: 'auto' | 'low' | 'high' }
  /** Base64. */
  | { type: 'audio'; data: string; format: 'wav' | 'mp3' }
  | { type: 'file'; filename: string; mime: string; data: string };

export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON as the model wrote it, which may be invalid. */
  arguments: string;
}

export type ModelMessage =
  | { role: 'system'; text: string }
  /** `isEvidence`: not written by the user, but found by searching for the next message. */
  | { role: 'user'; parts: ModelPart[]; isEvidence?: true }
  | { role: 'assistant'; text: string; toolCalls: ModelToolCall[] }
  | { role: 'tool'; callId: string; text: string };

export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

export interface ModelSettings {
  temperature?: number;
  maxTokens?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
}

export interface ModelRequest {
  /** The name by which the provider knows it. */
  model: string;
  messages: ModelMessage[];
  tools: ModelTool[];
  settings: ModelSettings;
  /** Absent: text. */
  answerFormat?: AnswerFormat;
}

/** An answer in JSON: an object, or an instance of a schema. */
export type AnswerFormat = { type: 'json-object' } | { type: 'json-schema'; schema: Record<string, unknown> };

export interface ModelUsage {
  promptTokens: number;
  completionTokens: number;
  /** Part of promptTokens. */
  cachedTokens: number;
  /** Part of completionTokens. */
  reasoningTokens: number;
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter';

export type ModelDelta =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** A piece of the call at `index`. The first piece has the id and the name; the arguments are concatenated. */
  | { type: 'tool-call'; index: number; id?: string; name?: string; arguments: string }
  | ({ type: 'usage' } & ModelUsage)
  | { type: 'finish'; reason: FinishReason };

export interface EmbeddingRequest {
  /** The name by which the provider knows it. */
  model: string;
  /** At most `MAX_EMBEDDED_TEXTS`, none of them empty. */
  texts: readonly string[];
  /** Absent: what the model has. */
  dimensions?: number;
}

export const MAX_EMBEDDED_TEXTS = 256;
/** The longest vectors of known models have 4,096. */
export const MAX_DIMENSIONS = 8_192;

export interface Embeddings {
  /** One for each text, in their order; all have the same length, and none is all zeros. */
  vectors: Float32Array[];
  /** Null if the provider does not report it. */
  promptTokens: number | null;
}

export interface RerankRequest {
  /** The name by which the provider knows it. */
  model: string;
  query: string;
  texts: readonly string[];
}

export interface Reranking {
  /** How well each text answers the query, in their order; null for one that the model left out. */
  scores: (number | null)[];
  /** Null if the provider does not report it. */
  promptTokens: number | null;
}

export interface OfferedModels {
  /** By which the other calls know them, each once, in the order of the server; at most `MAX_OFFERED_MODELS`. */
  names: string[];
  /** Whether these are all. */
  isComplete: boolean;
}

export const MAX_OFFERED_MODELS = 2_000;

/** A model server, or a replacement for one. */
export interface ModelProvider {
  /**
   * Sends one request. The last delta is `finish`, directly after `usage` if the provider reports it.
   * Throws a `ProviderError` if the model fails, and the reason of the signal if it aborts. Both, and leaving the
   * loop early, end the upstream call immediately.
   * A provider that reads from a server awaits `pace` after each piece that it read and passed on, unless it returns null:
   * what arrives until the reader has use for more is then read together, and its text is one delta, which costs less.
   */
  stream(
    request: ModelRequest,
    signal: AbortSignal,
    pace?: () => Promise<void> | null,
  ): AsyncIterable<ModelDelta>;

  /** Turns texts into vectors. Throws as `stream` does. It does not retry: the caller knows how long it can wait. */
  embed(request: EmbeddingRequest, signal: AbortSignal): Promise<Embeddings>;

  /** Says how well texts answer a query. Throws as `stream` does, and does not retry. */
  rerank(request: RerankRequest, signal: AbortSignal): Promise<Reranking>;

  /** Returns which models the server offers. Throws as `stream` does, also if the server has no list; does not retry. */
  listModels(signal: AbortSignal): Promise<OfferedModels>;
}

export type ProviderErrorCode = 'unavailable' | 'rate-limited' | 'refused' | 'bad-answer' | 'timeout';

/** Why a model failed: one sentence for the user, without key or address. */
export class ProviderError extends Error {
  /** Seconds. */
  readonly retryAfter?: number;
  /** The words of the server, without secrets and addresses; only for those who manage the agent. */
  readonly detail?: string;
  /** The HTTP status of the server, if that is the reason. */
  readonly status?: number;

  constructor(
    readonly code: ProviderErrorCode,
    message: string,
    options: { cause?: unknown; retryAfter?: number; detail?: string; status?: number } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ProviderError';
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
    if (options.detail !== undefined) this.detail = options.detail;
    if (options.status !== undefined) this.status = options.status;
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.code !== 'refused';
  }
}
