import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { Access } from '../../infra/routes/access.ts';
import {
  CreateKnowledgeSourceDto,
  DeleteKnowledgeSourceDto,
  KnowledgePagePageDto,
  KnowledgePageQueryDto,
  KnowledgeSourceDto,
  KnowledgeSourcePageDto,
  UpdateKnowledgeSourceDto,
} from './knowledge-sources.dto.ts';
import { KnowledgeSourcesService } from './knowledge-sources.service.ts';

@Controller('knowledge/sources')
export class KnowledgeSourcesController {
  constructor(private readonly sources: KnowledgeSourcesService) {}

  /** Lists the sources of the space, newest first. */
  @Get()
  @Access('member', 'use', 'manage')
  list(@Caller() { spaceId }: UserPrincipal, @Query() query: PageDto): Promise<KnowledgeSourcePageDto> {
    return this.sources.list(spaceId, query);
  }

  /** Creates a source: a page, or the pages of a sitemap, as documents. The first fetch begins at once. */
  @Post()
  @Access('admin', 'manage')
  create(@Audited() call: AuditedCall, @Body() body: CreateKnowledgeSourceDto): Promise<KnowledgeSourceDto> {
    return this.sources.create(call, body);
  }

  /** Returns a source with the progress of its fetch. */
  @Get(':id')
  @Access('member', 'use', 'manage')
  get(@Caller() { spaceId }: UserPrincipal, @Param('id') id: string): Promise<KnowledgeSourceDto> {
    return this.sources.get(spaceId, id);
  }

  /** Changes when a source is fetched. */
  @Patch(':id')
  @Access('admin', 'manage')
  update(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Body() body: UpdateKnowledgeSourceDto,
  ): Promise<KnowledgeSourceDto> {
    return this.sources.update(call, id, body);
  }

  /** Deletes a source, with its documents unless they are kept. */
  @Delete(':id')
  @Access('admin', 'manage')
  @HttpCode(204)
  delete(
    @Audited() call: AuditedCall,
    @Param('id') id: string,
    @Query() { documents }: DeleteKnowledgeSourceDto,
  ): Promise<void> {
    return this.sources.delete(call, id, documents);
  }

  /** Fetches an enabled source now. One that is being fetched goes on. */
  @Post(':id/fetch')
  @Access('admin', 'manage')
  @HttpCode(200)
  fetch(@Audited() call: AuditedCall, @Param('id') id: string): Promise<KnowledgeSourceDto> {
    return this.sources.fetch(call, id);
  }

  /** Lists the pages of a source with what came of each, in the order in which they were found. */
  @Get(':id/pages')
  @Access('member', 'use', 'manage')
  pages(
    @Caller() { spaceId }: UserPrincipal,
    @Param('id') id: string,
    @Query() query: KnowledgePageQueryDto,
  ): Promise<KnowledgePagePageDto> {
    return this.sources.listPages(spaceId, id, query);
  }
}
