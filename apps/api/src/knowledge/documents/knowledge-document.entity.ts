import type { KnowledgeEncoding, KnowledgeMediaType, KnowledgeStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A document of a space. */
@Entity('knowledge_document')
export class KnowledgeDocumentEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  title!: string;

  @Column('text', { nullable: true })
  fileName!: string | null;

  /** The page that it was fetched from. */
  @Column('text', { nullable: true })
  url!: string | null;

  /** The document that it replaces as soon as its text has been read; until then it is hidden. */
  @Column('uuid', { nullable: true })
  replacesId!: string | null;

  @Column('text')
  mediaType!: KnowledgeMediaType;

  /** The size of what was uploaded. */
  @Column('int')
  bytes!: number;

  @Column('text', { default: 'PROCESSING' })
  status!: KnowledgeStatus;

  @Column('text', { nullable: true })
  error!: string | null;

  @Column('int', { default: 0 })
  chunks!: number;

  /** The version of its terms: see `TERMS_VERSION`. */
  @Column('int', { default: 1 })
  termsVersion!: number;

  /** The encoding of its text if that was recognized by the bytes. */
  @Column('text', { nullable: true })
  encoding!: KnowledgeEncoding | null;

  /** How often a worker has begun to read it. */
  @Column('int', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('uuid')
  createdBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
