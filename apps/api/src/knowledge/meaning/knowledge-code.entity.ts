import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The signs of the vector of a passage, which a search compares first. */
@Entity('knowledge_code')
export class KnowledgeCodeEntity {
  @PrimaryColumn('uuid')
  embeddingId!: string;

  @PrimaryColumn('uuid')
  documentId!: string;

  @PrimaryColumn('int')
  n!: number;

  @Column('varbit')
  code!: string;
}
