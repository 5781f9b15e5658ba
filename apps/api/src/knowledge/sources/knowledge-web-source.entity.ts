import type { KnowledgeSourceKind } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/entity-rows.ts';

/** An address whose pages are documents of a space, and are fetched again. */
@Entity('knowledge_web_source')
export class KnowledgeWebSourceEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  kind!: KnowledgeSourceKind;

  @Column('text')
  url!: string;

  /** Never changes: whoever has claimed the host has the source. */
  @Column('text')
  host!: string;

  /** Null: fetched on demand only. */
  @Column('int', { nullable: true })
  everyHours!: number | null;

  @Column('boolean', { default: true })
  enabled!: boolean;

  /** Why the last fetch was not complete. */
  @Column('text', { nullable: true })
  error!: string | null;

  /** When the next fetch begins; past while one goes on. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  claimedAt!: Date | null;

  /** The number of the current fetch, or else of the last one. */
  @Column('int', { default: 0 })
  fetches!: number;

  @Column('boolean', { default: false })
  isFetching!: boolean;

  @Column('bigint', { default: 0, transformer: asNumber })
  fetchedBytes!: number;

  /** How many addresses of the sitemap are no pages of the source, beyond those that are listed with the reason. */
  @Column('int', { default: 0 })
  leftOut!: number;

  /** Requests that failed in a row. */
  @Column('int', { default: 0 })
  failures!: number;

  /** Whether its documents are deleted with it. */
  @Column('boolean', { default: false })
  removesDocuments!: boolean;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;

  @Column('uuid')
  createdBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
