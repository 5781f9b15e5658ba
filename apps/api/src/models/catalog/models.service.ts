import { Injectable } from '@nestjs/common';
import {
  OFFLINE_MODEL,
  type AuditAction,
  type CreateModelRequest,
  type Model,
  type ModelTestResult,
  type Page,
  type SavedModel,
  type UpdateModelRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { Database } from '../../infra/database/database.ts';
import { PlatformConfig } from '../../infra/config/platform-config.ts';
import { SecretBox } from '../../infra/crypto/secret-box.ts';
import { violates } from '../../infra/database/rows.ts';
import { conflict, invalid, invalidFor } from '../../infra/errors/app-error.ts';
import type { PageDto } from '../../infra/requests/page.dto.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { CatalogService } from './catalog.service.ts';
import { failureMessage } from './failure-message.ts';
import {
  allowsLoopback,
  changeDefinition,
  definitionProblems,
  newDefinition,
  removesApiKey,
  requiresApiKey,
} from './model-definition.ts';
import type { ModelProvider } from '../port/model-provider.ts';
import {
  apiKeyPlace,
  BUILT_IN_MODEL,
  BUILT_IN_MODEL_ID,
  toModel,
  upstreamModelOf,
  type CatalogModel,
} from './catalog-model.ts';
import type { ModelEntity } from './model.entity.ts';
import {
  deleteModel,
  findModelOfEnvironment,
  getModel,
  insertModel,
  listModels,
  lockModel,
  newModelId,
  updateModel,
  type ServerColumns,
} from './models.store.ts';

const TEST_TIMEOUT_MS = 20_000;
const TOO_LATE = `The model did not answer within ${TEST_TIMEOUT_MS / 1000} seconds`;
const NOT_TESTED: ModelTestResult = { ok: false, latencyMs: null, message: 'The model could not be tested' };

/** Manages the catalogs of spaces. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly config: PlatformConfig,
    private readonly secrets: SecretBox,
    private readonly identity: IdentityService,
    private readonly catalog: CatalogService,
  ) {}

  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<Model>> {
    const filter = { modelsOf: spaceId };
    const before = this.cursors.idAfter(cursor, filter);
    const models: CatalogModel[] = await listModels(this.database.manager, spaceId, before, limit + 1);
    if (models.length <= limit && before !== BUILT_IN_MODEL_ID) models.push(BUILT_IN_MODEL);
    return this.cursors.page(models, limit, filter, ({ id }) => [id], toModel);
  }

  async create(call: AuditedCall, request: CreateModelRequest): Promise<Model> {
    const definition = newDefinition(request);
    assertNone(definitionProblems(definition, request.apiKey));
    return this.database.transaction(async (tx) => {
      const loopbackAllowed = await this.identity.isInstallationAdmin(call.by.userId, tx);
      const origin = { loopbackAllowed, fromEnvironment: false };
      const model = await this.insert(tx, call.by.spaceId, request, origin);
      if (model === null) throw nameTaken(definition.name);
      await audit(tx, call, 'model.create', model);
      return toModel(model);
    });
  }

  async update(call: AuditedCall, id: string, change: UpdateModelRequest): Promise<Model> {
    if (id === BUILT_IN_MODEL_ID) throw builtIn();
    try {
      return toModel(await this.database.transaction((tx) => this.change(tx, call, id, change)));
    } catch (error) {
      throw violates(error, 'model_name_key') ? nameTaken(change.name ?? '') : error;
    }
  }

  async delete(call: AuditedCall, id: string): Promise<void> {
    if (id === BUILT_IN_MODEL_ID) throw builtIn();
    await this.database.transaction(async (tx) => {
      const model = await lockModel(tx, call.by.spaceId, id);
      await deleteModel(tx, model);
      await audit(tx, call, 'model.delete', model);
    });
  }

  /** Asks the model one short question. A failure is a result, not an error. */
  async test(spaceId: string, id: string): Promise<ModelTestResult> {
    const model =
      id === BUILT_IN_MODEL_ID ? BUILT_IN_MODEL : await getModel(this.database.manager, spaceId, id);
    return this.ask(spaceId, model);
  }

  /** Adds the result of a test to a model that was just saved, if it is wanted. Whatever fails is a result. */
  async withTest({ by }: AuditedCall, model: Model, isWanted: boolean): Promise<SavedModel> {
    if (!isWanted) return model;
    const test = await this.test(by.spaceId, model.id).catch(() => NOT_TESTED);
    return { ...model, test };
  }

  /** As `test`, for the model that the environment has added to a space; null if there is none. */
  async testOfEnvironment(spaceId: string): Promise<ModelTestResult | null> {
    const { openai } = this.config;
    const { manager } = this.database;
    const model = openai && (await findModelOfEnvironment(manager, spaceId, openai.model));
    return model && this.ask(spaceId, model);
  }

  private async ask(spaceId: string, model: CatalogModel): Promise<ModelTestResult> {
    const started = performance.now();
    const signal = AbortSignal.timeout(TEST_TIMEOUT_MS);
    try {
      const provider = this.catalog.providerOf(spaceId, model);
      if (model.definition.kind !== 'chat') {
        await probe(provider, model, signal);
        return answeredSince(started);
      }
      for await (const delta of provider.stream(questionFor(model), signal)) {
        if (delta.type !== 'text' && delta.type !== 'reasoning') continue;
        return answeredSince(started);
      }
      return { ok: false, latencyMs: null, message: 'The model answered without any text' };
    } catch (error) {
      return { ok: false, latencyMs: null, message: failureMessage(error, signal, TOO_LATE) };
    }
  }

  /**
   * Adds the model that the environment names, unless the space has a model of that name. A model that was added in this
   * way takes over a changed address or key. Returns whether anything was added or changed.
   */
  async ensureModelFromEnvironment(tx: EntityManager, spaceId: string): Promise<boolean> {
    const { openai } = this.config;
    if (openai === null) return false;
    const { model: name, baseUrl, apiKey } = openai;
    const origin = { loopbackAllowed: true, fromEnvironment: true };
    if ((await this.insert(tx, spaceId, { name, baseUrl, apiKey }, origin)) !== null) return true;
    const model = await findModelOfEnvironment(tx, spaceId, name, { lock: true });
    if (model === null || (model.definition.baseUrl === baseUrl && this.hasKey(model, apiKey))) return false;
    const sealedApiKey = apiKey === null ? null : this.secrets.seal(apiKeyPlace(spaceId, model.id), apiKey);
    await updateModel(tx, model, changeDefinition(model.definition, { baseUrl }), {
      sealedApiKey,
      ...origin,
    });
    return true;
  }

  /** False if the stored key cannot be read: the key of the environment then replaces it. */
  private hasKey({ spaceId, id, sealedApiKey }: ModelEntity, apiKey: string | null): boolean {
    if (sealedApiKey === null || apiKey === null) return sealedApiKey === apiKey;
    try {
      return this.secrets.open(apiKeyPlace(spaceId, id), sealedApiKey) === apiKey;
    } catch {
      return false;
    }
  }

  /** Returns null if the name is taken. */
  private async insert(
    tx: EntityManager,
    spaceId: string,
    request: CreateModelRequest,
    origin: Omit<ServerColumns, 'sealedApiKey'>,
  ): Promise<ModelEntity | null> {
    if (request.name === OFFLINE_MODEL) return null;
    const id = await newModelId(tx);
    const sealedApiKey = request.apiKey ? this.secrets.seal(apiKeyPlace(spaceId, id), request.apiKey) : null;
    return insertModel(tx, spaceId, id, newDefinition(request), { sealedApiKey, ...origin });
  }

  private async change(
    tx: EntityManager,
    call: AuditedCall,
    id: string,
    change: UpdateModelRequest,
  ): Promise<ModelEntity> {
    const { spaceId } = call.by;
    const current = await lockModel(tx, spaceId, id);
    const { definition, sealedApiKey: storedApiKey } = current;
    const next = changeDefinition(definition, change);
    assertNone(definitionProblems(next, change.apiKey));
    if (requiresApiKey({ ...definition, apiKeyConfigured: storedApiKey !== null }, change)) {
      throw invalid('apiKey must be sent again with a new baseUrl');
    }
    if (next.name === OFFLINE_MODEL) throw nameTaken(next.name);
    const kept = removesApiKey(next, change) ? null : storedApiKey;
    const sealedApiKey = change.apiKey ? this.secrets.seal(apiKeyPlace(spaceId, id), change.apiKey) : kept;
    const isInstallationAdmin = await this.identity.isInstallationAdmin(call.by.userId, tx);
    const loopbackAllowed = allowsLoopback(current, change, isInstallationAdmin);
    const fromEnvironment =
      current.fromEnvironment && typeof change.apiKey !== 'string' && next.baseUrl === definition.baseUrl;
    const model = await updateModel(tx, current, next, { sealedApiKey, loopbackAllowed, fromEnvironment });
    await audit(tx, call, 'model.update', model, { fields: Object.keys(change) });
    return model;
  }
}

/** Records the names of changed fields only: their values may be secrets. */
async function audit(
  tx: EntityManager,
  { by, requestId }: AuditedCall,
  action: AuditAction,
  { id, definition }: ModelEntity,
  more = {},
): Promise<void> {
  const details = { name: definition.name, ...more };
  await recordAudit(tx, by, { action, targetType: 'model', targetId: id, details, requestId });
}

function questionFor({ definition }: CatalogModel) {
  return {
    model: upstreamModelOf(definition),
    messages: [
      { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Reply with the word: ready' }] },
    ],
    tools: [],
    settings: {},
  };
}

/** Makes one small call of a model that is not for chats. */
async function probe(
  provider: ModelProvider,
  { definition }: CatalogModel,
  signal: AbortSignal,
): Promise<void> {
  const model = upstreamModelOf(definition);
  const texts = ['ready'];
  if (definition.kind === 'embedding') await provider.embed({ model, texts }, signal);
  else await provider.rerank({ model, query: 'ready', texts }, signal);
}

function answeredSince(started: number): ModelTestResult {
  const latencyMs = Math.round(performance.now() - started);
  return { ok: true, latencyMs, message: `The model answered after ${latencyMs} ms` };
}

function assertNone(problems: string[]): void {
  if (problems.length > 0) throw invalidFor(problems);
}

const nameTaken = (name: string) => conflict(`name must be unique: a model named ${name} already exists`);
const builtIn = () => conflict(`${OFFLINE_MODEL} is built in and cannot be changed or deleted`);
