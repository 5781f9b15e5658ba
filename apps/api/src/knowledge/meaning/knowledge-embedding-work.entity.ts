import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A document whose passages wait for their vectors. */
@Entity('knowledge_embedding_work')
export class KnowledgeEmbeddingWorkEntity {
  @PrimaryColumn('uuid')
  embeddingId!: string;

  @PrimaryColumn('uuid')
  documentId!: string;

  /** The last passage that has its vector. */
  @Column('int', { default: 0 })
  doneN!: number;
}
