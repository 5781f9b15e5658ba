import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { KnowledgeDocumentsService } from './documents/knowledge-documents.service.ts';
import { KnowledgeSearchService } from './search/knowledge-search.service.ts';
import { KnowledgeWorker } from './documents/knowledge.worker.ts';
import { KnowledgeController } from './search/knowledge.controller.ts';
import { SearxngSearchService } from './web/searxng-search.service.ts';
import { WebSearch } from './web/web-search.ts';

@Module({
  imports: [AuthModule],
  controllers: [KnowledgeController],
  providers: [
    KnowledgeDocumentsService,
    KnowledgeSearchService,
    KnowledgeWorker,
    { provide: WebSearch, useClass: SearxngSearchService },
  ],
  exports: [KnowledgeSearchService, WebSearch],
})
export class KnowledgeModule {}
