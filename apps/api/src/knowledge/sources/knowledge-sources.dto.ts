import {
  KNOWLEDGE_PAGE_STATUSES,
  KNOWLEDGE_SOURCE_KINDS,
  type KnowledgePageStatus,
  type KnowledgeSourceKind,
  type KnowledgeSourceStatus,
  type KnowledgeStatus,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, Max, MaxLength, Min } from 'class-validator';
import { Nullable } from '../../infra/requests/nullable.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { IsFilledText } from '../../infra/requests/text.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

/** A year. */
const MAX_HOURS = 8_760;

export class CreateKnowledgeSourceDto {
  /** `url`: one page. `sitemap`: the pages at its host that a sitemap, an index of sitemaps, or a compressed one lists. */
  @ApiProperty({ enum: KNOWLEDGE_SOURCE_KINDS })
  @IsIn(KNOWLEDGE_SOURCE_KINDS)
  kind!: KnowledgeSourceKind;

  /**
   * An http or https address without credentials; once in a space.
   * @example https://docs.example.com/sitemap.xml
   */
  @IsFilledText()
  @MaxLength(2_048)
  url!: string;

  /** 1 to 8,760 hours from the beginning of a fetch to the next one. Null, the default: on demand only. */
  @Nullable()
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_HOURS)
  @ApiProperty({ type: 'integer', nullable: true, required: false })
  everyHours?: number | null;
}

export class UpdateKnowledgeSourceDto {
  /** 1 to 8,760 hours; null: on demand only. */
  @Nullable()
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_HOURS)
  @ApiProperty({ type: 'integer', nullable: true, required: false })
  everyHours?: number | null;

  /** A source that is disabled is not fetched. Its documents are still found. */
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;
}

export class DeleteKnowledgeSourceDto {
  /** What becomes of its documents. Default: delete. */
  @IsOptional()
  @IsIn(['delete', 'keep'])
  @ApiProperty({ enum: ['delete', 'keep'], required: false })
  documents: 'delete' | 'keep' = 'delete';
}

/** Pages by what came of them in the last fetch. */
class KnowledgePageCountsDto {
  waiting!: number;
  fetched!: number;
  unchanged!: number;
  failed!: number;
  skipped!: number;
}

export class KnowledgeSourceDto {
  id!: string;
  spaceId!: string;
  kind!: KnowledgeSourceKind;
  /** @example https://docs.example.com/sitemap.xml */
  url!: string;
  /** Null: fetched on demand only. */
  @ApiProperty({ type: 'integer', nullable: true })
  everyHours!: number | null;
  enabled!: boolean;
  status!: KnowledgeSourceStatus;
  /** Why the last fetch was not complete, as one or two sentences. */
  error!: string | null;
  pages!: KnowledgePageCountsDto;
  /** Documents that its pages have become. */
  documents!: number;
  /** Addresses of its sitemaps that are no pages of it, because it has 1,000 or they are not at its host. */
  leftOut!: number;
  /** When the current fetch began, or else the last one. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  startedAt!: string | null;
  /** When the last fetch ended. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  finishedAt!: string | null;
  /** Null: not by itself. Past while a fetch goes on. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  nextFetchAt!: string | null;
  createdBy!: string;
  createdAt!: string;
  updatedAt!: string;
}

export class KnowledgeSourcePageDto extends pageOf(KnowledgeSourceDto) {}

export class KnowledgePageQueryDto extends PageDto {
  @IsOptional()
  @IsIn(KNOWLEDGE_PAGE_STATUSES)
  status?: KnowledgePageStatus;
}

class KnowledgePageDto {
  id!: string;
  /** @example https://docs.example.com/refunds */
  url!: string;
  /** Whether this is a sitemap, which is no document. */
  isSitemap!: boolean;
  status!: KnowledgePageStatus;
  /** Why it is FAILED or SKIPPED, or why it is WAITING for another attempt. */
  reason!: string | null;
  /** The document that is found, or that is being read. */
  documentId!: string | null;
  /** Of the newest version of the page. */
  documentStatus!: KnowledgeStatus | null;
  /** When it was requested last. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  fetchedAt!: string | null;
}

export class KnowledgePagePageDto extends pageOf(KnowledgePageDto) {}
