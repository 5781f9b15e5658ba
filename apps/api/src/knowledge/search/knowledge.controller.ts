import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { Audited, Caller, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { KnowledgeDocumentsService } from '../documents/knowledge-documents.service.ts';
import { KnowledgeSearchService } from './knowledge-search.service.ts';
import {
  CreateKnowledgeDocumentDto,
  KnowledgeArchiveDto,
  KnowledgeArchiveFileDto,
  KnowledgeDocumentDetailDto,
  KnowledgeDocumentDto,
  KnowledgeDocumentPageDto,
  KnowledgeFileDto,
  KnowledgeSearchDto,
  KnowledgeSearchResultDto,
} from './knowledge.dto.ts';
import { KnowledgeSettingsService } from '../meaning/knowledge-settings.service.ts';
import { KnowledgeSettingsDto, UpdateKnowledgeSettingsDto } from './knowledge-settings.dto.ts';
import { readArchive } from '../documents/archive.ts';
import { readUpload } from '../documents/upload.ts';

const DEFAULT_TOP_K = 5;

@Controller('knowledge')
@ApiExtraModels(CreateKnowledgeDocumentDto, KnowledgeFileDto, KnowledgeArchiveFileDto)
export class KnowledgeController {
  constructor(
    private readonly documents: KnowledgeDocumentsService,
    private readonly knowledge: KnowledgeSearchService,
    private readonly settings: KnowledgeSettingsService,
  ) {}

  /** Lists the documents of the space, newest first. */
  @Get('documents')
  @Access('member', 'use', 'manage')
  list(@Caller() { spaceId }: UserPrincipal, @Query() query: PageDto): Promise<KnowledgeDocumentPageDto> {
    return this.documents.list(spaceId, query);
  }

  /** Uploads a document, as a file or as JSON. It is PROCESSING until its text has been read. */
  @Post('documents')
  @Access('admin', 'manage')
  @BodyLimit('upload')
  @ApiConsumes('multipart/form-data', 'application/json')
  @ApiBody({
    schema: {
      oneOf: [{ $ref: getSchemaPath(KnowledgeFileDto) }, { $ref: getSchemaPath(CreateKnowledgeDocumentDto) }],
    },
  })
  async create(
    @Audited() call: AuditedCall,
    @Headers('content-type') contentType: string,
    @Body() body: object | undefined,
  ): Promise<KnowledgeDocumentDto> {
    return this.documents.create(call, await readUpload(body, contentType));
  }

  /** Uploads the files of a zip archive as documents, all or none. Files that cannot be read are skipped, with the reason. */
  @Post('archives')
  @Access('admin', 'manage')
  @BodyLimit('upload')
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: { $ref: getSchemaPath(KnowledgeArchiveFileDto) } })
  async createAll(
    @Audited() call: AuditedCall,
    @Headers('content-type') contentType: string,
    @Body() body: object | undefined,
  ): Promise<KnowledgeArchiveDto> {
    return this.documents.createAll(call, await readArchive(body, contentType));
  }

  /** Returns a document with the beginning of its text. */
  @Get('documents/:id')
  @Access('member', 'use', 'manage')
  get(@Caller() { spaceId }: UserPrincipal, @Param('id') id: string): Promise<KnowledgeDocumentDetailDto> {
    return this.documents.get(spaceId, id);
  }

  /** Deletes a document with its text. The evidence of earlier turns keeps what they found in it. */
  @Delete('documents/:id')
  @Access('admin', 'manage')
  @HttpCode(204)
  delete(@Audited() call: AuditedCall, @Param('id') id: string): Promise<void> {
    return this.documents.delete(call, id);
  }

  /** Searches the documents of the space, in the way agents do. */
  @Post('search')
  @Access('member', 'use')
  @HttpCode(200)
  search(
    @Caller() { spaceId, userId }: UserPrincipal,
    @Body() { query, topK }: KnowledgeSearchDto,
  ): Promise<KnowledgeSearchResultDto> {
    return this.knowledge.answer({ spaceId, userId }, query, topK ?? DEFAULT_TOP_K);
  }

  /** Returns how the documents are searched, with the progress of their vectors. */
  @Get('settings')
  @Access('member', 'use', 'manage')
  getKnowledgeSettings(@Caller() { spaceId }: UserPrincipal): Promise<KnowledgeSettingsDto> {
    return this.settings.get(spaceId);
  }

  /** Changes how the documents are searched. Another model begins another version; until it is complete, the one before serves. */
  @Patch('settings')
  @Access('admin', 'manage')
  updateKnowledgeSettings(
    @Audited() call: AuditedCall,
    @Body() body: UpdateKnowledgeSettingsDto,
  ): Promise<KnowledgeSettingsDto> {
    return this.settings.update(call, body);
  }
}
