import { Module, type OnModuleInit } from '@nestjs/common';
import { StorageModule } from '../storage/storage.module.ts';
import { StorageRegistry } from '../storage/storage.registry.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { KnowledgeDocumentsService } from './documents/knowledge-documents.service.ts';
import { sumDocuments } from './documents/knowledge-documents.store.ts';
import { KnowledgeSearchService } from './search/knowledge-search.service.ts';
import { KnowledgeWorker } from './documents/knowledge.worker.ts';
import { KnowledgeController } from './search/knowledge.controller.ts';
import { SearxngSearchService } from './web/searxng-search.service.ts';
import { WebSearch } from './web/web-search.ts';

@Module({
  imports: [AuthModule, StorageModule],
  controllers: [KnowledgeController],
  providers: [
    KnowledgeDocumentsService,
    KnowledgeSearchService,
    KnowledgeWorker,
    { provide: WebSearch, useClass: SearxngSearchService },
  ],
  exports: [KnowledgeSearchService, WebSearch],
})
export class KnowledgeModule implements OnModuleInit {
  constructor(private readonly storage: StorageRegistry) {}

  onModuleInit(): void {
    this.storage.register('KNOWLEDGE', async (sql, spaceId) => {
      const size = await sumDocuments(sql, spaceId);
      return { measuredAt: new Date(), tables: [{ applicationId: null, name: 'documents', ...size }] };
    });
  }
}
