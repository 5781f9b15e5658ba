import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A passage of a document, which is what a search finds. */
@Entity('knowledge_chunk')
export class KnowledgeChunkEntity {
  @PrimaryColumn('uuid')
  documentId!: string;

  /** The position in the document, starting at 1. */
  @PrimaryColumn('int')
  n!: number;

  @Column('uuid')
  spaceId!: string;

  /** The headings above it, outermost first, or its page; empty if it has none. */
  @Column('text')
  heading!: string;

  @Column('text')
  text!: string;

  /** The terms of `terms.ts`, each with the tag of the space. */
  @Column('tsvector')
  terms!: string;
}
