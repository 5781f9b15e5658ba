import { OFFLINE_MODEL, type Model } from '@platform/contracts';
import type { SecretContext } from '../../infra/crypto/secret-box.ts';
import { ModelDefinition, type ModelEntity } from './model.entity.ts';

/** A model in the catalog of a space: a stored one, or the built-in one. */
export type CatalogModel = Omit<ModelEntity, 'spaceId' | 'deletedAt' | 'fromEnvironment'>;

/** Lower than every id that the database makes, so that the model is last in each list. */
export const BUILT_IN_MODEL_ID = '00000000-0000-0000-0000-000000000001';

/** `platform/offline`: in the catalog of every space without being stored. */
export const BUILT_IN_MODEL: CatalogModel = {
  id: BUILT_IN_MODEL_ID,
  definition: Object.assign(new ModelDefinition(), {
    name: OFFLINE_MODEL,
    provider: 'offline',
    contextWindow: 32_768,
    maxOutputTokens: 8192,
    price: { inputPerMillion: 0, outputPerMillion: 0, cachedInputPerMillion: 0 },
    capabilities: { images: true, audio: true, files: true, tools: true },
  } satisfies Partial<ModelDefinition>),
  sealedApiKey: null,
  loopbackAllowed: false,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

/** The place that the API key of a model is encrypted for. */
export function apiKeyPlace(spaceId: string, modelId: string): SecretContext {
  return { spaceId, recordId: modelId, field: 'apiKey' };
}

/** The name by which the provider knows the model. */
export function upstreamModelOf({ name, upstreamModel }: ModelDefinition): string {
  return upstreamModel ?? name;
}

/** A model as a response shows it: whether it has a key, never the key. */
export function toModel({ id, definition, sealedApiKey, createdAt, updatedAt }: CatalogModel): Model {
  return {
    id,
    ...definition,
    upstreamModel: upstreamModelOf(definition),
    apiKeyConfigured: sealedApiKey !== null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
