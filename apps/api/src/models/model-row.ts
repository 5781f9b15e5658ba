import { OFFLINE_MODEL, type Model } from '@platform/contracts';
import type { SecretContext } from '../infra/crypto/secret-box.ts';
import type { ModelFields } from './model-fields.ts';

/** A model as it is stored. */
export interface ModelRow extends ModelFields {
  id: string;
  sealedApiKey: string | null;
  /** Whether an installation administrator chose the address: only then may the server be on loopback. */
  loopbackAllowed: boolean;
  createdAt: Date;
  /** Microseconds and all, since two changes may share a millisecond. */
  revision: string;
  updatedAt: Date;
}

/** What makes a `ModelRow` of a row of `model`. */
export const MODEL_COLUMNS = `
  id, name, provider, base_url as "baseUrl", upstream_model as "upstreamModel",
  context_window as "contextWindow", max_output_tokens as "maxOutputTokens", capabilities,
  json_build_object(
    'inputPerMillion', input_per_million,
    'outputPerMillion', output_per_million,
    'cachedInputPerMillion', cached_input_per_million
  ) as price,
  api_key as "sealedApiKey", loopback_allowed as "loopbackAllowed", created_at as "createdAt", updated_at as "updatedAt", updated_at::text as revision`;

/** Below every id that the database makes, so that it ends each list. */
export const OFFLINE_MODEL_ID = '00000000-0000-0000-0000-000000000001';

const OFFLINE_SINCE = new Date(0);

/** `platform/offline`: in every space's catalog without being stored. */
export const OFFLINE_ROW: ModelRow = {
  id: OFFLINE_MODEL_ID,
  name: OFFLINE_MODEL,
  provider: 'offline',
  baseUrl: null,
  upstreamModel: null,
  contextWindow: 32_768,
  maxOutputTokens: 8192,
  price: { inputPerMillion: 0, outputPerMillion: 0, cachedInputPerMillion: 0 },
  capabilities: { images: true, audio: true, files: true, tools: true },
  sealedApiKey: null,
  loopbackAllowed: false,
  createdAt: OFFLINE_SINCE,
  updatedAt: OFFLINE_SINCE,
  revision: 'fixed',
};

/** Where the key of a model is sealed for. */
export function apiKeyPlace(spaceId: string, modelId: string): SecretContext {
  return { spaceId, recordId: modelId, field: 'apiKey' };
}

/** A model as it is answered: whether it has a key, never the key. */
export function toModel(row: ModelRow): Model {
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    baseUrl: row.baseUrl,
    apiKeyConfigured: row.sealedApiKey !== null,
    upstreamModel: row.upstreamModel ?? row.name,
    contextWindow: row.contextWindow,
    maxOutputTokens: row.maxOutputTokens,
    price: row.price,
    capabilities: row.capabilities,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
