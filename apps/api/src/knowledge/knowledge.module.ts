import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { KnowledgeDocuments } from './knowledge-documents.service.ts';
import { KnowledgeSearch } from './knowledge-search.ts';
import { KnowledgeWorker } from './knowledge-worker.ts';
import { KnowledgeController } from './knowledge.controller.ts';
import { SearxngSearch } from './searxng-search.ts';
import { WebSearch } from './web-search.ts';

@Module({
  imports: [AuthModule],
  controllers: [KnowledgeController],
  providers: [
    KnowledgeDocuments,
    KnowledgeSearch,
    KnowledgeWorker,
    { provide: WebSearch, useClass: SearxngSearch },
  ],
  exports: [KnowledgeSearch, WebSearch],
})
export class KnowledgeModule {}
