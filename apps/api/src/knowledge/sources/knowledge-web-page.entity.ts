import type { KnowledgePageStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A page of a source, or one of its sitemaps. */
@Entity('knowledge_web_page')
export class KnowledgeWebPageEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  sourceId!: string;

  @Column('text')
  url!: string;

  /** Of a sitemap: how many indexes are above it; null: a page. */
  @Column('int', { nullable: true })
  depth!: number | null;

  /** WAITING for the current fetch, or what came of the last one. */
  @Column('text', { default: 'WAITING' })
  status!: KnowledgePageStatus;

  @Column('text', { nullable: true })
  reason!: string | null;

  /** The last fetch in which it was listed. */
  @Column('int')
  listedIn!: number;

  /** How often it was requested in this fetch. */
  @Column('int', { default: 0 })
  tries!: number;

  /** In how many fetches in a row it did not exist. */
  @Column('int', { default: 0 })
  misses!: number;

  /** The newest document of the page, also while an older one is still found. */
  @Column('uuid', { nullable: true })
  documentId!: string | null;

  /** SHA-256 of what the document was made of. */
  @Column('bytea', { nullable: true })
  hash!: Buffer | null;

  @Column('text', { nullable: true })
  etag!: string | null;

  @Column('text', { nullable: true })
  lastModified!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  fetchedAt!: Date | null;
}
