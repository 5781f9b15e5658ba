export const MODEL_PROVIDERS = ['openai-compatible', 'offline'] as const;
export type ModelProviderKind = (typeof MODEL_PROVIDERS)[number];

/** The model that is always there: deterministic, free, needs no network. */
export const OFFLINE_MODEL = 'platform/offline';

/** Price per million tokens, in the space's currency; a part that is null costs nothing. */
export interface ModelPrice {
  inputPerMillion: number | null;
  outputPerMillion: number | null;
  /** Null: cached input costs what input costs. */
  cachedInputPerMillion: number | null;
}

export interface ModelCapabilities {
  images: boolean;
  audio: boolean;
  files: boolean;
  tools: boolean;
}

export interface Model {
  id: string;
  name: string;
  provider: ModelProviderKind;
  baseUrl: string | null;
  apiKeyConfigured: boolean;
  upstreamModel: string;
  contextWindow: number;
  maxOutputTokens: number;
  price: ModelPrice;
  capabilities: ModelCapabilities;
  createdAt: string;
  updatedAt: string;
}

export interface CreateModelRequest {
  name: string;
  provider?: ModelProviderKind | null;
  /** Base address of an OpenAI-compatible API, such as https://api.openai.com/v1. */
  baseUrl?: string | null;
  /** Write-only; a new baseUrl demands it again. */
  apiKey?: string | null;
  /** The name the provider knows; none: the same name. */
  upstreamModel?: string | null;
  contextWindow?: number | null;
  maxOutputTokens?: number | null;
  price?: Partial<ModelPrice> | null;
  capabilities?: Partial<ModelCapabilities> | null;
}

export type UpdateModelRequest = Partial<CreateModelRequest>;

export interface ModelTestResult {
  ok: boolean;
  /** Milliseconds to the first token, null when none came. */
  latencyMs: number | null;
  message: string;
}
