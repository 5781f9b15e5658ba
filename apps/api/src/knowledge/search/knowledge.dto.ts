import {
  KNOWLEDGE_MEDIA_TYPES,
  KNOWLEDGE_STATUSES,
  type KnowledgeMediaType,
  type KnowledgeStatus,
} from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, MaxLength, Min } from 'class-validator';
import { IsFilledText } from '../../infra/requests/text.ts';

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
  /** Text, Markdown, HTML, or PDF; with the rest of the form at most 25 MB. */
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
  /** Null if the document was sent as text. */
  @ApiProperty({ type: 'string', nullable: true })
  fileName!: string | null;
  @ApiProperty({ enum: KNOWLEDGE_MEDIA_TYPES })
  mediaType!: KnowledgeMediaType;
  /** The size of what was sent. */
  bytes!: number;
  /** Only READY documents are searched. */
  @ApiProperty({ enum: KNOWLEDGE_STATUSES })
  status!: KnowledgeStatus;
  /** Why the document is FAILED, as one sentence. */
  @ApiProperty({ type: 'string', nullable: true })
  error!: string | null;
  /** The number of passages that can be found; 0 unless READY. */
  chunks!: number;
  createdBy!: string;
  createdAt!: string;
  /** When the status changed last. */
  updatedAt!: string;
}

export class KnowledgeDocumentDetailDto extends KnowledgeDocumentDto {
  /** The beginning of the text as it was read, at most 2,000 characters. */
  excerpt!: string;
}

export class KnowledgeDocumentPageDto {
  items!: KnowledgeDocumentDto[];
  @ApiProperty({ type: 'string', nullable: true })
  nextCursor!: string | null;
}

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
  retrievalMs!: number;
}
