import type { CreateModelRequest, UpdateModelRequest } from '@platform/contracts';
import { withoutNulls } from '../../infra/runtime/json.ts';
import { ModelDefinition, ModelPriceColumns, type ModelEntity } from './model.entity.ts';

/** The definition of a new model: the request, with defaults for the rest. */
export function newDefinition(request: CreateModelRequest): ModelDefinition {
  const defaults = new ModelDefinition();
  const contextWindow = request.contextWindow ?? defaults.contextWindow;
  defaults.maxOutputTokens = Math.min(defaults.maxOutputTokens, contextWindow);
  return changeDefinition(defaults, request);
}

/**
 * A definition after a change. A given field replaces the previous value completely, and missing parts of it have their
 * defaults; null counts as absent.
 */
export function changeDefinition(
  current: ModelDefinition,
  { apiKey, ...change }: UpdateModelRequest,
): ModelDefinition {
  const { price, capabilities } = change;
  const given: Partial<ModelDefinition> = withoutNulls({
    ...change,
    price: price && { ...new ModelPriceColumns(), ...price },
    capabilities: capabilities && { ...new ModelDefinition().capabilities, ...withoutNulls(capabilities) },
  });
  const next = Object.assign(new ModelDefinition(), current, given);
  if (next.provider === 'offline') next.baseUrl = given.baseUrl ?? null;
  return next;
}

/** What contradicts itself in a definition, one sentence each. */
export function definitionProblems(definition: ModelDefinition, apiKey?: string | null): string[] {
  const { provider, baseUrl, contextWindow, maxOutputTokens } = definition;
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

/** Whether a change removes the stored key: an empty key does, and offline models have none. */
export function removesApiKey(next: ModelDefinition, change: UpdateModelRequest): boolean {
  return change.apiKey === '' || next.provider === 'offline';
}

/** Whether a change would send the stored key to another address: only a caller who knows the key may do that. */
export function requiresApiKey(
  current: ModelDefinition & { apiKeyConfigured: boolean },
  change: UpdateModelRequest,
): boolean {
  const isMoved = typeof change.baseUrl === 'string' && change.baseUrl !== current.baseUrl;
  return isMoved && current.apiKeyConfigured && typeof change.apiKey !== 'string';
}

/** Whether a model may be on loopback after a change. Each change of the address decides that anew. */
export function allowsLoopback(
  { definition, loopbackAllowed }: Pick<ModelEntity, 'definition' | 'loopbackAllowed'>,
  { baseUrl }: UpdateModelRequest,
  isInstallationAdmin: boolean,
): boolean {
  if (typeof baseUrl !== 'string') return loopbackAllowed;
  return isInstallationAdmin || (baseUrl === definition.baseUrl && loopbackAllowed);
}

/** What is wrong with a base URL, or null. */
export function baseUrlProblem(value: unknown): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '') return 'must not carry credentials: use apiKey';
  if (/[?#]/.test(url.href)) return 'must not have a query or a fragment';
  return null;
}
