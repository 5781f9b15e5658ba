export const MODEL_PROVIDERS = ['openai-compatible', 'offline'] as const;
export type ModelProviderKind = (typeof MODEL_PROVIDERS)[number];

/** The built-in model: deterministic, free, and independent of the network. */
export const OFFLINE_MODEL = 'platform/offline';

/** Lines in a message that the built-in model follows, in their order, each with an example to try. */
export const OFFLINE_COMMANDS = [
  { name: 'ask', example: '/ask Which color? | red | blue | other', does: 'asks you to choose' },
  {
    name: 'ask-many',
    example: '/ask-many Which days? | Mon | Tue | Wed',
    does: 'asks you to choose several',
  },
  { name: 'call', example: '/call current_time.now {}', does: 'calls a method of a tool' },
  { name: 'local', example: '/local TOOL {}', does: 'calls a tool of your application' },
  { name: 'think', example: '/think 2000', does: 'waits, in milliseconds' },
  { name: 'long', example: '/long 200', does: 'writes so many words' },
  { name: 'fail', example: '/fail', does: 'fails' },
] as const;

/** Price per million tokens in the currency of the space. Null means free. */
export interface ModelPrice {
  inputPerMillion: number | null;
  outputPerMillion: number | null;
  /** Null means the same price as other input. */
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
  /** Base URL of an OpenAI-compatible API, such as https://api.openai.com/v1. */
  baseUrl?: string | null;
  /** Write-only. Changing `baseUrl` requires sending it again. */
  apiKey?: string | null;
  /** The name of the model at the provider. Defaults to `name`. */
  upstreamModel?: string | null;
  contextWindow?: number | null;
  maxOutputTokens?: number | null;
  price?: Partial<ModelPrice> | null;
  capabilities?: Partial<ModelCapabilities> | null;
}

export type UpdateModelRequest = Partial<CreateModelRequest>;

export interface ModelTestResult {
  ok: boolean;
  /** Milliseconds until the first token; null if there was none. */
  latencyMs: number | null;
  message: string;
}
