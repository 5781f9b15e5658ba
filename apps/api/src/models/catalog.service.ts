import { Injectable } from '@nestjs/common';
import { OFFLINE_MODEL, type ModelCapabilities, type ModelPrice } from '@platform/contracts';
import ipaddr from 'ipaddr.js';
import { DataSource } from 'typeorm';
import { Batched } from '../infra/batched.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { SecretBox } from '../infra/crypto/secret-box.ts';
import { preparedRows, rows } from '../infra/database/rows.ts';
import { unavailable } from '../infra/http/app-error.ts';
import { GuardedHttp } from '../infra/http/guarded-http.ts';
import type { ModelProvider } from './model-provider.ts';
import { apiKeyPlace, MODEL_COLUMNS, OFFLINE_ROW, type ModelRow } from './model-row.ts';
import { OfflineProvider } from './offline-provider.ts';
import { OpenAiEndpoint } from './openai-endpoint.ts';
import { OpenAiProvider } from './openai-provider.ts';
import { OpenAiServer } from './openai-server.ts';

/** A model as a turn uses it. */
export interface ResolvedModel {
  /** The model that really answers: `platform/offline` where that one stands in. */
  name: string;
  provider: ModelProvider;
  /** The server itself, for calls that are handed on as they are; null: there is none. */
  endpoint: OpenAiEndpoint | null;
  /** The name that the provider knows. */
  upstreamModel: string;
  contextWindow: number;
  maxOutputTokens: number;
  price: ModelPrice;
  capabilities: ModelCapabilities;
  /** Whether it answers in place of the one that was asked for. */
  standIn: boolean;
}

interface ModelName {
  spaceId: string;
  name: string;
}

/** What answers for a row. */
interface Upstream {
  provider: ModelProvider;
  endpoint: OpenAiEndpoint | null;
}

/** Servers that are kept ready; making one again costs the opening of its key, and what was learned of it. */
const MAX_UPSTREAMS = 1_000;

/** Finds the models that agents name; every call looks into the space's catalog as it is now. */
@Injectable()
export class CatalogService {
  private readonly offline: Upstream = { provider: new OfflineProvider(), endpoint: null };
  private readonly named = new Batched((asked: ModelName[]) => this.findNamed(asked));
  private readonly upstreams = new Map<string, Upstream & { revision: string }>();

  constructor(
    private readonly database: DataSource,
    private readonly config: PlatformConfig,
    private readonly secrets: SecretBox,
    private readonly http: GuardedHttp,
  ) {}

  /** The model of that name; throws UNAVAILABLE naming it where the catalog has none. */
  async resolve(spaceId: string, name: string): Promise<ResolvedModel> {
    const model = await this.find(spaceId, name);
    if (model === null) throw unavailable(`Model ${name} is not in the catalog of this space`);
    return model;
  }

  /** As `resolve`, with null for a model that is not there. */
  async find(spaceId: string, name: string): Promise<ResolvedModel | null> {
    if (name === OFFLINE_MODEL) return this.resolved(spaceId, OFFLINE_ROW, false);
    const row = await this.named.get({ spaceId, name });
    if (row?.name === name) return this.resolved(spaceId, row, false);
    return row === null && this.standsIn ? this.resolved(spaceId, OFFLINE_ROW, true) : null;
  }

  /** What a model costs; null where the catalog has none of that name. Needs nothing that its server needs. */
  async priceOf(spaceId: string, name: string): Promise<ModelPrice | null> {
    if (name === OFFLINE_MODEL) return OFFLINE_ROW.price;
    const row = await this.named.get({ spaceId, name });
    return row?.name === name ? row.price : null;
  }

  /** How much a model takes; null where the catalog has none of that name. */
  async contextWindowOf(spaceId: string, name: string): Promise<number | null> {
    if (name === OFFLINE_MODEL) return OFFLINE_ROW.contextWindow;
    const row = await this.named.get({ spaceId, name });
    if (row?.name === name) return row.contextWindow;
    return row === null && this.standsIn ? OFFLINE_ROW.contextWindow : null;
  }

  /** Whether each name would resolve; a model that is stood in for counts as ready. */
  async status(spaceId: string, names: Iterable<string>): Promise<Map<string, 'ready' | 'unknown'>> {
    const models = await rows<{ name: string }>(
      this.database,
      'select name from model where space_id = $1 and deleted_at is null',
      [spaceId],
    );
    const known = new Set([OFFLINE_MODEL, ...models.map(({ name }) => name)]);
    const all = models.length === 0 && this.standsIn;
    return new Map(Array.from(names, (name) => [name, all || known.has(name) ? 'ready' : 'unknown']));
  }

  /** The names of the space's models, the offline one last, with the time since when each is there. */
  async list(spaceId: string): Promise<{ name: string; createdAt: Date }[]> {
    const models = await rows<{ name: string; createdAt: Date }>(
      this.database,
      'select name, created_at as "createdAt" from model where space_id = $1 and deleted_at is null order by id desc',
      [spaceId],
    );
    return [...models, OFFLINE_ROW];
  }

  /** The provider behind a row. */
  providerOf(spaceId: string, row: ModelRow): ModelProvider {
    return this.upstreamOf(spaceId, row).provider;
  }

  /** Where the name is unknown any other row comes: that tells it apart from an empty catalog (null). */
  private async findNamed(asked: ModelName[]): Promise<(ModelRow | null)[]> {
    const found = await preparedRows<ModelRow & { n: number }>(
      this.database,
      'models.named',
      `select asked.n::int as n, found.* from unnest($1::uuid[], $2::text[]) with ordinality as asked (space_id, name, n)
       cross join lateral (
         select ${MODEL_COLUMNS} from model
         where space_id = asked.space_id and deleted_at is null order by model.name = asked.name desc limit 1
       ) as found`,
      [asked.map(({ spaceId }) => spaceId), asked.map(({ name }) => name)],
    );
    const byNumber = new Map(found.map((row) => [row.n, row]));
    return asked.map((_, i) => byNumber.get(i + 1) ?? null);
  }

  /** Made once per change of the row, so that the key is opened once. */
  private upstreamOf(spaceId: string, row: ModelRow): Upstream {
    if (row.provider === 'offline' || row.baseUrl === null) return this.offline;
    const kept = this.upstreams.get(row.id);
    if (kept?.revision === row.revision) return kept;
    const server = new OpenAiServer({
      baseUrl: row.baseUrl,
      apiKey: row.sealedApiKey === null ? null : this.openKey(spaceId, row, row.sealedApiKey),
      dispatcher: this.http.dispatcher({ allowLoopback: row.loopbackAllowed && this.listensOnLoopback }),
    });
    const { maxOutputTokens } = row;
    const upstream = {
      provider: new OpenAiProvider(server, { maxOutputTokens }),
      endpoint: new OpenAiEndpoint(server),
    };
    // Deleted models are never asked for again: what was made first goes first.
    const [oldest] = this.upstreams.keys();
    if (oldest !== undefined && this.upstreams.size >= MAX_UPSTREAMS) this.upstreams.delete(oldest);
    this.upstreams.set(row.id, { revision: row.revision, ...upstream });
    return upstream;
  }

  private get standsIn(): boolean {
    return this.config.embedded && this.config.offlineStandin;
  }

  /** Whoever reaches a service on loopback reaches the model servers beside it anyway. */
  private get listensOnLoopback(): boolean {
    const { host } = this.config;
    return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.parse(host).range() === 'loopback');
  }

  private resolved(spaceId: string, row: ModelRow, standIn: boolean): ResolvedModel {
    const { provider, endpoint } = this.upstreamOf(spaceId, row);
    return {
      name: row.name,
      provider,
      endpoint,
      upstreamModel: row.upstreamModel ?? row.name,
      contextWindow: row.contextWindow,
      maxOutputTokens: row.maxOutputTokens,
      price: row.price,
      capabilities: row.capabilities,
      standIn,
    };
  }

  private openKey(spaceId: string, row: ModelRow, sealed: string): string {
    try {
      return this.secrets.open(apiKeyPlace(spaceId, row.id), sealed);
    } catch (cause) {
      throw unavailable(`The API key of model ${row.name} cannot be read; set it again`, { cause });
    }
  }
}
