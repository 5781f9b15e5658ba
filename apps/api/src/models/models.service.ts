import { Injectable } from '@nestjs/common';
import {
  OFFLINE_MODEL,
  type CreateModelRequest,
  type Model,
  type ModelTestResult,
  type Page,
  type UpdateModelRequest,
} from '@platform/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../auth/audit.ts';
import type { Act } from '../auth/caller.decorator.ts';
import { IdentityService } from '../auth/identity.service.ts';
import { PlatformConfig } from '../infra/config/platform-config.ts';
import { SecretBox } from '../infra/crypto/secret-box.ts';
import { violates } from '../infra/database/rows.ts';
import { AppError, conflict, invalid, invalidFor } from '../infra/http/app-error.ts';
import type { PageDto } from '../infra/http/page.dto.ts';
import { Cursors } from '../infra/http/cursors.ts';
import { CatalogService } from './catalog.service.ts';
import {
  allowsLoopback,
  changedModel,
  demandsApiKey,
  dropsApiKey,
  modelProblems,
  newModel,
} from './model-fields.ts';
import { ProviderError } from './model-provider.ts';
import { apiKeyPlace, OFFLINE_MODEL_ID, OFFLINE_ROW, toModel, type ModelRow } from './model-row.ts';
import * as store from './models.store.ts';

const TEST_TIMEOUT_MS = 20_000;

/** The catalog as admins keep it. */
@Injectable()
export class ModelsService {
  constructor(
    private readonly database: DataSource,
    private readonly cursors: Cursors,
    private readonly config: PlatformConfig,
    private readonly secrets: SecretBox,
    private readonly identity: IdentityService,
    private readonly catalog: CatalogService,
  ) {}

  async list(spaceId: string, { limit, cursor }: PageDto): Promise<Page<Model>> {
    const filter = { modelsOf: spaceId };
    const below = this.cursors.idAfter(cursor, filter);
    const found = await store.listModels(this.database, spaceId, below, limit + 1);
    if (found.length <= limit && below !== OFFLINE_MODEL_ID) found.push(OFFLINE_ROW);
    return this.cursors.page(found, limit, filter, (row) => [row.id], toModel);
  }

  async create(act: Act, request: CreateModelRequest): Promise<Model> {
    const fields = newModel(request);
    refuse(modelProblems(fields, request.apiKey));
    return this.database.transaction(async (tx) => {
      const loopbackAllowed = await this.identity.isInstallationAdmin(act.by.userId, tx);
      const row = await this.insert(tx, act.by.spaceId, request, loopbackAllowed);
      if (row === null) throw nameTaken(fields.name);
      await audit(tx, act, 'model.create', row);
      return toModel(row);
    });
  }

  async update(act: Act, id: string, change: UpdateModelRequest): Promise<Model> {
    if (id === OFFLINE_MODEL_ID) throw builtIn();
    try {
      return toModel(await this.database.transaction((tx) => this.change(tx, act, id, change)));
    } catch (error) {
      throw violates(error, 'model_name_key') ? nameTaken(change.name ?? '') : error;
    }
  }

  async delete(act: Act, id: string): Promise<void> {
    if (id === OFFLINE_MODEL_ID) throw builtIn();
    await this.database.transaction(async (tx) => {
      const row = await store.lockModel(tx, act.by.spaceId, id);
      await store.deleteModel(tx, act.by.spaceId, id);
      await audit(tx, act, 'model.delete', row);
    });
  }

  /** Asks the model one short question; what goes wrong is the answer, not an error. */
  async test(spaceId: string, id: string): Promise<ModelTestResult> {
    const row = id === OFFLINE_MODEL_ID ? OFFLINE_ROW : await store.findModel(this.database, spaceId, id);
    const started = performance.now();
    const signal = AbortSignal.timeout(TEST_TIMEOUT_MS);
    try {
      for await (const delta of this.catalog.providerOf(spaceId, row).stream(questionTo(row), signal)) {
        if (delta.type !== 'text' && delta.type !== 'reasoning') continue;
        const latencyMs = Math.round(performance.now() - started);
        return { ok: true, latencyMs, message: `The model answered after ${latencyMs} ms` };
      }
      return { ok: false, latencyMs: null, message: 'The model answered without any text' };
    } catch (error) {
      return { ok: false, latencyMs: null, message: failureOf(error, signal) };
    }
  }

  /** Adds the model that the environment names where the space has none of that name. */
  async ensureModelFromEnvironment(tx: EntityManager, spaceId: string): Promise<void> {
    const { openai } = this.config;
    if (openai === null) return;
    const { model: name, baseUrl, apiKey } = openai;
    await this.insert(tx, spaceId, { name, baseUrl, apiKey }, true);
  }

  /** Null where the name is taken. */
  private async insert(
    tx: EntityManager,
    spaceId: string,
    request: CreateModelRequest,
    loopbackAllowed: boolean,
  ): Promise<ModelRow | null> {
    if (request.name === OFFLINE_MODEL) return null;
    const id = await store.newModelId(tx);
    const sealedApiKey = request.apiKey ? this.secrets.seal(apiKeyPlace(spaceId, id), request.apiKey) : null;
    return store.insertModel(tx, spaceId, id, newModel(request), { sealedApiKey, loopbackAllowed });
  }

  private async change(
    tx: EntityManager,
    act: Act,
    id: string,
    change: UpdateModelRequest,
  ): Promise<ModelRow> {
    const { spaceId } = act.by;
    const current = await store.lockModel(tx, spaceId, id);
    const next = changedModel(current, change);
    refuse(modelProblems(next, change.apiKey));
    if (demandsApiKey({ ...current, apiKeyConfigured: current.sealedApiKey !== null }, change)) {
      throw invalid('apiKey must be sent again with a new baseUrl');
    }
    if (next.name === OFFLINE_MODEL) throw nameTaken(next.name);
    const kept = dropsApiKey(next, change) ? null : current.sealedApiKey;
    const sealedApiKey = change.apiKey ? this.secrets.seal(apiKeyPlace(spaceId, id), change.apiKey) : kept;
    const isInstallationAdmin = await this.identity.isInstallationAdmin(act.by.userId, tx);
    const loopbackAllowed = allowsLoopback(current, change, isInstallationAdmin);
    const row = await store.updateModel(tx, spaceId, id, next, { sealedApiKey, loopbackAllowed });
    await audit(tx, act, 'model.update', row, { fields: Object.keys(change) });
    return row;
  }
}

/** Names of fields at most: values may be secrets. */
async function audit(
  tx: EntityManager,
  { by, requestId }: Act,
  action: string,
  row: ModelRow,
  more = {},
): Promise<void> {
  const details = { name: row.name, ...more };
  await recordAudit(tx, by, { action, targetType: 'model', targetId: row.id, details, requestId });
}

function questionTo(row: ModelRow) {
  return {
    model: row.upstreamModel ?? row.name,
    messages: [
      { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Reply with the word: ready' }] },
    ],
    tools: [],
    settings: {},
  };
}

function failureOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `The model did not answer within ${TEST_TIMEOUT_MS / 1000} seconds`;
  if (error instanceof ProviderError || error instanceof AppError) return error.message;
  throw error;
}

function refuse(problems: string[]): void {
  if (problems.length > 0) throw invalidFor(problems);
}

const nameTaken = (name: string) => conflict(`A model named ${name} exists already`);
const builtIn = () => conflict(`${OFFLINE_MODEL} is built in and cannot be changed or deleted`);
