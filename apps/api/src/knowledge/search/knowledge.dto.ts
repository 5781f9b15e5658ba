import {
  SEARCH_LAYERS,
  type KnowledgeEncoding,
  type KnowledgeMediaType,
  type KnowledgeStatus,
  type SearchLayer,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, MaxLength, Min } from 'class-validator';
import { IsFilledText } from '../../infra/requests/text.ts';
import { pageOf } from '../../infra/responses/page-of.ts';

/** The JSON form of an upload. */
export class CreateKnowledgeDocumentDto {
  /**
   * 1 to 200 characters. Titles need not be unique.
   * @example Refund policy
   */
  title!: string;
  /**
   * Plain text or Markdown.
   * @example Refunds are paid within 14 days.
   */
  text!: string;
}

/** The form with a file. */
export class KnowledgeFileDto {
  /** Text, Markdown, HTML, CSV, JSON, PDF, docx, xlsx, pptx, EPUB, or RTF; with the rest of the form at most 25 MB. */
  @ApiProperty({ type: 'string', format: 'binary' })
  file!: unknown;
  /** Default: the name of the file. */
  title?: string;
}

export class KnowledgeDocumentDto {
  id!: string;
  spaceId!: string;
  /** @example Refund policy */
  title!: string;
  /** Null if the document was not sent as a file. */
  fileName!: string | null;
  /** The page of a source that it was fetched from; null if it was uploaded. */
  url!: string | null;
  mediaType!: KnowledgeMediaType;
  /** The size of what was sent. */
  bytes!: number;
  /** Only READY documents are searched. */
  status!: KnowledgeStatus;
  /** Why the document is FAILED, as one sentence. */
  error!: string | null;
  /** The number of passages that can be found; 0 unless READY. */
  chunks!: number;
  /** The encoding of the text if its bytes told it: it is not UTF-8, and none was declared. */
  encoding!: KnowledgeEncoding | null;
  createdBy!: string;
  createdAt!: string;
  /** When the status changed last. */
  updatedAt!: string;
}

/** The form with an archive. */
export class KnowledgeArchiveFileDto {
  /** A zip archive of at most 25 MB and 1,000 files, unpacked at most 100 MB. Archives in it are not opened. */
  @ApiProperty({ type: 'string', format: 'binary' })
  file!: unknown;
}

class SkippedFileDto {
  /** Its path in the archive. */
  fileName!: string;
  reason!: string;
}

export class KnowledgeArchiveDto {
  /** In the order of the archive. Each is PROCESSING until its text has been read. */
  documents!: KnowledgeDocumentDto[];
  /** Files that are no documents. */
  skipped!: SkippedFileDto[];
}

export class KnowledgeDocumentDetailDto extends KnowledgeDocumentDto {
  /** The beginning of the text as it was read, at most 2,000 characters. */
  excerpt!: string;
}

export class KnowledgeDocumentPageDto extends pageOf(KnowledgeDocumentDto) {}

export class KnowledgeSearchDto {
  /**
   * 1 to 1,000 characters.
   * @example How long does a refund take?
   */
  @IsFilledText()
  @MaxLength(1_000)
  query!: string;

  /** 1 to 50, default 5. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(50)
  topK?: number;
}

class FoundPassageDto {
  /** The id of the document. Several passages of one document have the same. */
  id!: string;
  /** @example Refund policy */
  title!: string;
  /** @example Refunds are paid within 14 days. */
  snippet!: string;
  /** 0 to 1. */
  score!: number;
  @ApiProperty({ enum: ['knowledge'] })
  source!: 'knowledge';
}

export class KnowledgeSearchResultDto {
  query!: string;
  /** Best first. */
  documents!: FoundPassageDto[];
  /** What led to the result. */
  @ApiProperty({ enum: SEARCH_LAYERS, isArray: true })
  layers!: SearchLayer[];
  /** Why a layer that the space has chosen was left out, such as a model that did not respond. */
  notices!: string[];
  retrievalMs!: number;
  /** True if no passage matches the query: those returned are only the closest. Otherwise absent. */
  closest?: boolean;
}
