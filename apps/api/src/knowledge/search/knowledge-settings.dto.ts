import type { EmbeddingStatus } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, Max, MaxLength, Min } from 'class-validator';
import { Nullable } from '../../infra/requests/nullable.ts';
import { IsFilledText } from '../../infra/requests/text.ts';
import { MAX_DIMENSIONS } from '../../models/port/model-provider.ts';

class KnowledgeEmbeddingDto {
  id!: string;
  /**
   * The name in the catalog.
   * @example text-embedding-3-small
   */
  model!: string;
  /** What the model was asked for; null: as many as it has. */
  @ApiProperty({ type: 'integer', nullable: true })
  askedDimensions!: number | null;
  /** Null until the first vectors are there. */
  @ApiProperty({ type: 'integer', nullable: true })
  dimensions!: number | null;
  /** BUILDING: searches use the version before, until this one is complete. */
  status!: EmbeddingStatus;
  /** The passages of the space. */
  passages!: number;
  /** Those that have their vectors. */
  embedded!: number;
  /** Those that the model refused. */
  skipped!: number;
  /** Why the last call of the model failed; null after a success. */
  error!: string | null;
  /** When the model is called again after a failure. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  retryAt!: string | null;
  /** False for the offline model: its vectors know words only. */
  knowsMeaning!: boolean;
  /** Who chose the model, and is charged for the vectors of passages. */
  createdBy!: string;
  createdAt!: string;
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  completedAt!: string | null;
}

export class KnowledgeSettingsDto {
  /** The chosen model with its progress; null: searches use words only. */
  @ApiProperty({ type: KnowledgeEmbeddingDto, nullable: true })
  embedding!: KnowledgeEmbeddingDto | null;
  /** The version that searches use now. */
  @ApiProperty({ type: KnowledgeEmbeddingDto, nullable: true })
  serving!: KnowledgeEmbeddingDto | null;
  /** Null: what is found is not ranked again. */
  rerankModel!: string | null;
  /** Whether executions with `context: true` rewrite the question into search terms, by a call of the agent's model. */
  rewritesQuestions!: boolean;
}

export class UpdateKnowledgeSettingsDto {
  /**
   * A model of the catalog of the kind embedding, or platform/offline. Null: searches use words only.
   * @example platform/offline
   */
  @Nullable()
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  embeddingModel?: string | null;

  /** Null: as many as the model has. Not all models can be asked for fewer. */
  @Nullable()
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_DIMENSIONS)
  @ApiProperty({ type: 'integer', nullable: true, required: false })
  embeddingDimensions?: number | null;

  /** Makes all vectors again with the same model. */
  @IsOptional()
  @IsBoolean()
  rebuild?: boolean;

  /** A model of the catalog of the kind rerank, or platform/offline. */
  @Nullable()
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  rerankModel?: string | null;

  @IsOptional()
  @IsBoolean()
  rewritesQuestions?: boolean;
}
