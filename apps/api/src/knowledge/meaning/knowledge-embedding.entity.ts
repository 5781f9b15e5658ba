import type { EmbeddingStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A version of the vectors of a space: all of them are made by one model. */
@Entity('knowledge_embedding')
export class KnowledgeEmbeddingEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  /** The name in the catalog of the space. */
  @Column('text')
  model!: string;

  /** Null: as many as the model has. */
  @Column('int', { nullable: true })
  askedDimensions!: number | null;

  /** Known from the first vectors on. */
  @Column('int', { nullable: true })
  dimensions!: number | null;

  /** What the server called the model when it made the first vectors. */
  @Column('text', { nullable: true })
  upstreamModel!: string | null;

  /** RETIRED: its vectors are being removed. */
  @Column('text', { default: 'BUILDING' })
  status!: EmbeddingStatus | 'RETIRED';

  /** The passages that the model refused. */
  @Column('int', { default: 0 })
  skipped!: number;

  /** Why the last call of the model failed. */
  @Column('text', { nullable: true })
  error!: string | null;

  /** Since the last success. */
  @Column('int', { default: 0 })
  failures!: number;

  /** The fencing token: how often a worker has claimed it. */
  @Column('int', { default: 0 })
  attempts!: number;

  /** How often work was added: a worker that has seen less does not end. */
  @Column('int', { default: 0 })
  queued!: number;

  /** When a worker looks for work; null if there is none. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  /** Who chose the model, and is charged for its calls. */
  @Column('uuid')
  createdBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  completedAt!: Date | null;
}
