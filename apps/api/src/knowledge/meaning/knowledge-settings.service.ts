import { Injectable } from '@nestjs/common';
import {
  OFFLINE_MODEL,
  type KnowledgeEmbedding,
  type KnowledgeSettings,
  type ModelKind,
  type UpdateKnowledgeSettingsRequest,
} from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import type { Sql } from '../../infra/database/rows.ts';
import { CatalogService } from '../../models/catalog/catalog.service.ts';
import {
  insertEmbedding,
  listEmbeddings,
  loadSearchSettings,
  lockEmbeddings,
  retireEmbeddings,
  type EmbeddingState,
} from './embeddings.store.ts';
import { EmbeddingWorker } from './embedding.worker.ts';
import { KnowledgeSettingsEntity } from './knowledge-settings.entity.ts';

const WORD_OF: Record<Exclude<ModelKind, 'chat'>, string> = {
  embedding: 'embeddings',
  rerank: 'ranking',
};

/** What a space decides about its searches. */
@Injectable()
export class KnowledgeSettingsService {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogService,
    private readonly worker: EmbeddingWorker,
  ) {}

  get(spaceId: string): Promise<KnowledgeSettings> {
    return load(this.database, spaceId);
  }

  /** Changes the given fields. Another model, or other dimensions, begin another version of the vectors. */
  async update(
    { by, requestId }: AuditedCall,
    change: UpdateKnowledgeSettingsRequest,
  ): Promise<KnowledgeSettings> {
    const { spaceId, userId } = by;
    await this.assertModel(spaceId, 'embeddingModel', change.embeddingModel, 'embedding');
    await this.assertModel(spaceId, 'rerankModel', change.rerankModel, 'rerank');
    const settings = await this.database.transaction(async (tx) => {
      await lockEmbeddings(tx, spaceId);
      await storeSettings(tx, spaceId, change);
      await chooseModel(tx, { spaceId, userId }, change);
      const action = { action: 'knowledge.settings' as const, targetType: 'space', targetId: spaceId };
      await recordAudit(tx, by, { ...action, details: { fields: Object.keys(change) }, requestId });
      return load(tx, spaceId);
    });
    this.worker.wake();
    return settings;
  }

  private async assertModel(
    spaceId: string,
    field: string,
    name: string | null | undefined,
    kind: Exclude<ModelKind, 'chat'>,
  ): Promise<void> {
    if (name == null) return;
    const model = await this.catalog.find(spaceId, name);
    if (model === null || model.standIn) throw invalid(`${field} must be a model of the catalog`);
    if (model.kind !== kind && name !== OFFLINE_MODEL)
      throw invalid(
        `${field} must be a model for ${WORD_OF[kind]}: ${name} is one for ${wordFor(model.kind)}`,
      );
  }
}

const wordFor = (kind: ModelKind) => (kind === 'chat' ? 'chats' : WORD_OF[kind]);

async function storeSettings(
  tx: EntityManager,
  spaceId: string,
  { rerankModel, rewritesQuestions }: UpdateKnowledgeSettingsRequest,
): Promise<void> {
  const given = {
    ...(rerankModel !== undefined && { rerankModel }),
    ...(rewritesQuestions != null && { rewritesQuestions }),
  };
  if (Object.keys(given).length > 0)
    await tx.upsert(KnowledgeSettingsEntity, { spaceId, ...given }, ['spaceId']);
}

/** The version that is built last is the chosen one. */
async function chooseModel(
  tx: EntityManager,
  { spaceId, userId }: { spaceId: string; userId: string },
  { embeddingModel, embeddingDimensions, rebuild = false }: UpdateKnowledgeSettingsRequest,
): Promise<void> {
  const versions = await listEmbeddings(tx, spaceId);
  const chosen = versions[0];
  const model = embeddingModel === undefined ? (chosen?.model ?? null) : embeddingModel;
  if (model === null) {
    if (embeddingDimensions != null || rebuild) throw invalid('embeddingModel must be chosen first');
    await retireEmbeddings(tx, spaceId, ['BUILDING', 'READY']);
    return;
  }
  const kept = model === chosen?.model ? chosen.askedDimensions : null;
  const askedDimensions = embeddingDimensions === undefined ? kept : embeddingDimensions;
  const isSame = (version: EmbeddingState) =>
    version.model === model && version.askedDimensions === askedDimensions && !rebuild;
  if (chosen !== undefined && isSame(chosen)) return;
  await retireEmbeddings(tx, spaceId, ['BUILDING']);
  if (versions.some((version) => version.status === 'READY' && isSame(version))) return;
  await insertEmbedding(tx, spaceId, { model, askedDimensions, createdBy: userId });
}

async function load(sql: Sql, spaceId: string): Promise<KnowledgeSettings> {
  const { rerankModel, rewritesQuestions } = await loadSearchSettings(sql, spaceId);
  const versions = await listEmbeddings(sql, spaceId);
  const serving = versions.find(({ status }) => status === 'READY');
  return {
    embedding: versions[0] === undefined ? null : toEmbedding(versions[0]),
    serving: serving === undefined ? null : toEmbedding(serving),
    rerankModel,
    rewritesQuestions,
  };
}

function toEmbedding({
  createdBy,
  createdAt,
  completedAt,
  retryAt,
  ...version
}: EmbeddingState): KnowledgeEmbedding {
  return {
    ...version,
    knowsMeaning: version.model !== OFFLINE_MODEL,
    retryAt: retryAt?.toISOString() ?? null,
    createdBy,
    createdAt: createdAt.toISOString(),
    completedAt: completedAt?.toISOString() ?? null,
  };
}
