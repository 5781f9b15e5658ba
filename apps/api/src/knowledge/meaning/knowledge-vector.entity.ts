import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The vector of a passage, each value in one byte. */
@Entity('knowledge_vector')
export class KnowledgeVectorEntity {
  @PrimaryColumn('uuid')
  embeddingId!: string;

  @PrimaryColumn('uuid')
  documentId!: string;

  @PrimaryColumn('int')
  n!: number;

  @Column('bytea')
  vector!: Buffer;
}
