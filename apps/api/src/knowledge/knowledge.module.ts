import { Module, type OnModuleInit } from '@nestjs/common';
import { Database } from '../infra/database/database.ts';
import { readTime } from '../infra/database/rows.ts';
import { SearchModule } from '../search/search.module.ts';
import { SearchRegistry, type Found } from '../search/search.registry.ts';
import { StorageModule } from '../storage/storage.module.ts';
import { StorageRegistry } from '../storage/storage.registry.ts';
import { ModelsModule } from '../models/models.module.ts';
import { UsageModule } from '../usage/usage.module.ts';
import { EmbeddingWorker } from './meaning/embedding.worker.ts';
import { KnowledgeSettingsService } from './meaning/knowledge-settings.service.ts';
import { MeaningSearchService } from './meaning/meaning-search.service.ts';
import { ModelCallsService } from './meaning/model-calls.service.ts';
import { QuestionRewriterService } from './meaning/question-rewriter.service.ts';
import { sumVectors } from './meaning/vectors.store.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { KnowledgeDocumentsService } from './documents/knowledge-documents.service.ts';
import { findDocuments, sumDocuments } from './documents/knowledge-documents.store.ts';
import { KnowledgeSearchService } from './search/knowledge-search.service.ts';
import { KnowledgeWorker } from './documents/knowledge.worker.ts';
import { KnowledgeController } from './search/knowledge.controller.ts';
import { TermsWorker } from './documents/terms.worker.ts';
import { KnowledgeSourcesController } from './sources/knowledge-sources.controller.ts';
import { KnowledgeSourcesService } from './sources/knowledge-sources.service.ts';
import { SourceWorker } from './sources/source.worker.ts';
import { WebRequestsService } from './sources/web-requests.service.ts';
import { SearxngSearchService } from './web/searxng-search.service.ts';
import { WebSearch } from './web/web-search.ts';
import { MetricsRegistry } from '../infra/metrics/metrics.registry.ts';
import { DOCUMENTS_WAITING } from './documents/knowledge-documents.store.ts';
import { EMBEDDINGS_DUE } from './meaning/embeddings.store.ts';
import { SOURCES_DUE } from './sources/sources.store.ts';

@Module({
  imports: [AuthModule, ModelsModule, SearchModule, StorageModule, UsageModule],
  controllers: [KnowledgeController, KnowledgeSourcesController],
  providers: [
    EmbeddingWorker,
    KnowledgeDocumentsService,
    KnowledgeSearchService,
    KnowledgeSettingsService,
    KnowledgeSourcesService,
    KnowledgeWorker,
    TermsWorker,
    MeaningSearchService,
    ModelCallsService,
    QuestionRewriterService,
    SourceWorker,
    WebRequestsService,
    { provide: WebSearch, useClass: SearxngSearchService },
  ],
  exports: [KnowledgeDocumentsService, KnowledgeSearchService, QuestionRewriterService, WebSearch],
})
export class KnowledgeModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly search: SearchRegistry,
    private readonly storage: StorageRegistry,
    private readonly metrics: MetricsRegistry,
  ) {}

  onModuleInit(): void {
    this.metrics.waiting('documents', DOCUMENTS_WAITING);
    this.metrics.waiting('sources', SOURCES_DUE);
    this.metrics.waiting('embeddings', EMBEDDINGS_DUE);
    this.search.register({
      kind: 'document',
      access: { rule: 'member', scopes: ['use', 'manage'] },
      find: ({ spaceId }, text) => this.find(spaceId, { text }),
      findById: async ({ spaceId }, id) => (await this.find(spaceId, { id }))[0] ?? null,
    });
    this.storage.register('KNOWLEDGE', async (sql, spaceId) => {
      const size = await sumDocuments(sql, spaceId);
      const vectors = await sumVectors(sql, spaceId);
      return {
        measuredAt: await readTime(sql),
        tables: [
          { applicationId: null, name: 'documents', ...size },
          ...(vectors.count > 0 ? [{ applicationId: null, name: 'vectors', ...vectors }] : []),
        ],
      };
    });
  }

  private async find(spaceId: string, sought: { text?: string; id?: string }): Promise<Found[]> {
    const documents = await findDocuments(this.database, spaceId, sought);
    return documents.map(({ id, title, fileName }) => ({ id, title, text: fileName ?? '', parentId: null }));
  }
}
