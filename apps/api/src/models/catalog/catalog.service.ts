import { Injectable } from '@nestjs/common';
import { OFFLINE_MODEL, type ModelPrice } from '@platform/contracts';
import ipaddr from 'ipaddr.js';
import { Database } from '../../infra/database/database.ts';
import { Batched } from '../../infra/database/batched.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { unavailable } from '../../infra/errors/app-error.ts';
import { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import type { CallLimits } from '../port/call-limits.ts';
import type { ModelProvider } from '../port/model-provider.ts';
import { apiKeyPlace, BUILT_IN_MODEL, upstreamModelOf, type CatalogModel } from './catalog-model.ts';
import { ModelDefinition } from './model.entity.ts';
import { findNamed, listNames, type ModelName } from './models.store.ts';
import { OfflineProvider } from '../offline/offline-provider.ts';
import { OpenAiEndpoint } from '../openai/openai-endpoint.ts';
import { OpenAiProvider } from '../openai/openai-provider.ts';
import { OpenAiServer } from '../openai/openai-server.ts';

/** A model as a turn uses it. */
export interface ResolvedModel extends Pick<
  ModelDefinition,
  'contextWindow' | 'maxOutputTokens' | 'price' | 'capabilities' | 'kind'
> {
  /** The model that responds: `platform/offline` if it stands in. */
  name: string;
  provider: ModelProvider;
  /** The server itself, for calls that are forwarded unchanged; null if there is none. */
  endpoint: OpenAiEndpoint | null;
  /** The name by which the provider knows the model. */
  upstreamModel: string;
  /** Whether it responds in place of the requested model. */
  standIn: boolean;
}

/** A model server, and whether an installation administrator chose its address. */
export interface ServerAddress {
  baseUrl: string;
  apiKey: string | null;
  loopbackAllowed: boolean;
}

/** What responds for a model. */
interface Upstream {
  provider: ModelProvider;
  endpoint: OpenAiEndpoint | null;
}

/** Upstreams that are kept. Creating one again costs decrypting its key and relearning the quirks of its server. */
const MAX_UPSTREAMS = 1_000;

/** Finds the models that agents name. Every call reads the current catalog of the space. */
@Injectable()
export class CatalogService {
  private readonly offline: Upstream = { provider: new OfflineProvider(), endpoint: null };
  private readonly named = new Batched((names: ModelName[]) => findNamed(this.database, names));
  private readonly upstreams = new Map<string, Upstream & { model: CatalogModel }>();

  constructor(
    private readonly database: Database,
    private readonly config: PlatformConfig,
    private readonly secrets: SecretBox,
    private readonly http: GuardedHttp,
  ) {}

  /** Returns the model of that name. Throws UNAVAILABLE, naming the model, if the catalog has none. */
  async resolve(spaceId: string, name: string): Promise<ResolvedModel> {
    const model = await this.find(spaceId, name);
    if (model === null) throw unavailable(`Model ${name} is not in the catalog of this space`);
    return model;
  }

  /** As `resolve`, but returns null if the catalog has no such model. */
  async find(spaceId: string, name: string): Promise<ResolvedModel | null> {
    const found = await this.findModel(spaceId, name);
    return found && this.resolved(spaceId, found.model, found.standIn);
  }

  /** What a model costs, or null if the catalog has none of that name. Does not decrypt the key of the model. */
  async priceOf(spaceId: string, name: string): Promise<ModelPrice | null> {
    const found = await this.findModel(spaceId, name);
    return found === null || found.standIn ? null : found.model.definition.price;
  }

  /** The context window of a model, or null if the catalog has none of that name. */
  async contextWindowOf(spaceId: string, name: string): Promise<number | null> {
    const found = await this.findModel(spaceId, name);
    return found && found.model.definition.contextWindow;
  }

  /** Whether each name would resolve. A model that another one stands in for is ready. */
  async status(spaceId: string, names: Iterable<string>): Promise<Map<string, 'ready' | 'unknown'>> {
    const models = await listNames(this.database.manager, spaceId);
    const known = new Set([OFFLINE_MODEL, ...models.map(({ name }) => name)]);
    const areAllReady = models.length === 0 && this.hasStandIn;
    return new Map(Array.from(names, (name) => [name, areAllReady || known.has(name) ? 'ready' : 'unknown']));
  }

  /** The names of the models of a space and when each was created; the built-in model comes last. */
  async list(spaceId: string): Promise<{ name: string; createdAt: Date }[]> {
    const { definition, createdAt } = BUILT_IN_MODEL;
    return [...(await listNames(this.database.manager, spaceId)), { name: definition.name, createdAt }];
  }

  providerOf(spaceId: string, model: CatalogModel): ModelProvider {
    return this.upstreamOf(spaceId, model).provider;
  }

  /** The provider for a server that no stored model has, or not with this key. */
  providerAt(server: ServerAddress): ModelProvider {
    return new OpenAiProvider(this.serverAt(server), {
      maxOutputTokens: new ModelDefinition().maxOutputTokens,
      limits: this.limits,
    });
  }

  private async findModel(
    spaceId: string,
    name: string,
  ): Promise<{ model: CatalogModel; standIn: boolean } | null> {
    if (name === OFFLINE_MODEL) return { model: BUILT_IN_MODEL, standIn: false };
    const model = await this.named.get({ spaceId, name });
    if (model?.definition.name === name) return { model, standIn: false };
    return model === null && this.hasStandIn ? { model: BUILT_IN_MODEL, standIn: true } : null;
  }

  /** Created once per change of the model, so that its key is decrypted once. */
  private upstreamOf(spaceId: string, model: CatalogModel): Upstream {
    const { provider, baseUrl, maxOutputTokens } = model.definition;
    if (provider === 'offline' || baseUrl === null) return this.offline;
    const kept = this.upstreams.get(model.id);
    if (kept !== undefined && hasSameUpstream(kept.model, model)) return kept;
    const { sealedApiKey, loopbackAllowed } = model;
    const apiKey = sealedApiKey === null ? null : this.openKey(spaceId, model, sealedApiKey);
    const server = this.serverAt({ baseUrl, apiKey, loopbackAllowed });
    const { limits } = this;
    const upstream = {
      provider: new OpenAiProvider(server, { maxOutputTokens, limits }),
      endpoint: new OpenAiEndpoint(server, limits),
    };
    // Deleted models are never requested again, so the oldest upstream makes room.
    const [oldest] = this.upstreams.keys();
    if (oldest !== undefined && this.upstreams.size >= MAX_UPSTREAMS) this.upstreams.delete(oldest);
    this.upstreams.set(model.id, { model, ...upstream });
    return upstream;
  }

  private serverAt({ baseUrl, apiKey, loopbackAllowed }: ServerAddress): OpenAiServer {
    const allowLoopback = loopbackAllowed && this.listensOnLoopback;
    return new OpenAiServer({ baseUrl, apiKey, dispatcher: this.http.dispatcher({ allowLoopback }) });
  }

  private get limits(): CallLimits {
    return { stallMs: this.config.modelStallMs, totalMs: this.config.modelCallMs };
  }

  private get hasStandIn(): boolean {
    return this.config.embedded && this.config.offlineStandin;
  }

  /** Anyone who can reach a service on loopback can reach the model servers next to it anyway. */
  private get listensOnLoopback(): boolean {
    const { host } = this.config;
    return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
  }

  private resolved(spaceId: string, model: CatalogModel, standIn: boolean): ResolvedModel {
    const { provider, endpoint } = this.upstreamOf(spaceId, model);
    const { name, kind, contextWindow, maxOutputTokens, price, capabilities } = model.definition;
    return {
      name,
      kind,
      provider,
      endpoint,
      upstreamModel: upstreamModelOf(model.definition),
      contextWindow,
      maxOutputTokens,
      price,
      capabilities,
      standIn,
    };
  }

  private openKey(spaceId: string, { id, definition }: CatalogModel, sealed: string): string {
    try {
      return this.secrets.open(apiKeyPlace(spaceId, id), sealed);
    } catch (cause) {
      throw unavailable(`The API key of model ${definition.name} cannot be read; set it again`, { cause });
    }
  }
}

function hasSameUpstream(a: CatalogModel, b: CatalogModel): boolean {
  return (
    a.definition.baseUrl === b.definition.baseUrl &&
    a.definition.maxOutputTokens === b.definition.maxOutputTokens &&
    a.sealedApiKey === b.sealedApiKey &&
    a.loopbackAllowed === b.loopbackAllowed
  );
}
