import type {
  CreateModelRequest,
  ModelCapabilities,
  ModelPrice,
  ModelProviderKind,
  UpdateModelRequest,
} from '@platform/contracts';

/** What an admin sets of a model, the key apart. */
export interface ModelFields {
  name: string;
  provider: ModelProviderKind;
  baseUrl: string | null;
  /** Null: the provider knows it by the same name. */
  upstreamModel: string | null;
  contextWindow: number;
  maxOutputTokens: number;
  price: ModelPrice;
  capabilities: ModelCapabilities;
}

const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_MAX_OUTPUT_TOKENS = 4096;
const DEFAULT_CAPABILITIES: ModelCapabilities = { images: true, audio: false, files: true, tools: true };
const NO_PRICE: ModelPrice = { inputPerMillion: null, outputPerMillion: null, cachedInputPerMillion: null };

/** A model as asked for, with defaults for the rest. */
export function newModel(request: CreateModelRequest): ModelFields {
  const contextWindow = request.contextWindow ?? DEFAULT_CONTEXT_WINDOW;
  return changedModel(
    {
      name: request.name,
      provider: 'openai-compatible',
      baseUrl: null,
      upstreamModel: null,
      contextWindow,
      maxOutputTokens: Math.min(DEFAULT_MAX_OUTPUT_TOKENS, contextWindow),
      price: NO_PRICE,
      capabilities: DEFAULT_CAPABILITIES,
    },
    request,
  );
}

/** A model after a change: what is given replaces its field whole, missing parts of it taking their defaults. */
export function changedModel(current: ModelFields, change: UpdateModelRequest): ModelFields {
  const provider = change.provider ?? current.provider;
  const kept = provider === 'offline' ? null : current.baseUrl;
  return {
    name: change.name ?? current.name,
    provider,
    baseUrl: change.baseUrl ?? kept,
    upstreamModel: change.upstreamModel ?? current.upstreamModel,
    contextWindow: change.contextWindow ?? current.contextWindow,
    maxOutputTokens: change.maxOutputTokens ?? current.maxOutputTokens,
    price: change.price ? { ...NO_PRICE, ...change.price } : current.price,
    capabilities: change.capabilities
      ? { ...DEFAULT_CAPABILITIES, ...change.capabilities }
      : current.capabilities,
  };
}

/** What cannot be right together; one sentence each. */
export function modelProblems(fields: ModelFields, apiKey?: string | null): string[] {
  const { provider, baseUrl, contextWindow, maxOutputTokens } = fields;
  const problems: string[] = [];
  if (provider === 'openai-compatible' && baseUrl === null) {
    problems.push('baseUrl is required for an openai-compatible model');
  }
  if (provider === 'offline' && baseUrl !== null) problems.push('baseUrl has no use for an offline model');
  if (provider === 'offline' && apiKey) problems.push('apiKey has no use for an offline model');
  if (maxOutputTokens > contextWindow) {
    problems.push(`maxOutputTokens must be at most the contextWindow, ${contextWindow}`);
  }
  return problems;
}

/** Whether a model has no key after a change: an empty one takes it away, an offline model needs none. */
export function dropsApiKey(next: ModelFields, change: UpdateModelRequest): boolean {
  return change.apiKey === '' || next.provider === 'offline';
}

/** Whether a change sends the stored key to another place, which only someone who knows the key may do. */
export function demandsApiKey(
  current: ModelFields & { apiKeyConfigured: boolean },
  change: UpdateModelRequest,
): boolean {
  const moves = typeof change.baseUrl === 'string' && change.baseUrl !== current.baseUrl;
  return moves && current.apiKeyConfigured && typeof change.apiKey !== 'string';
}

/** Whether a model may be on loopback after a change: whoever sends its address decides that anew. */
export function allowsLoopback(
  current: { baseUrl: string | null; loopbackAllowed: boolean },
  { baseUrl }: UpdateModelRequest,
  isInstallationAdmin: boolean,
): boolean {
  if (typeof baseUrl !== 'string') return current.loopbackAllowed;
  return isInstallationAdmin || (baseUrl === current.baseUrl && current.loopbackAllowed);
}

/** What is wrong with a base address, or null. */
export function baseUrlProblem(value: unknown): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '') return 'must not carry credentials: use apiKey';
  if (/[?#]/.test(url.href)) return 'must not have a query or a fragment';
  return null;
}
