import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/entity-rows.ts';

/** A summary of a session's history, or the attempt to write one. */
@Entity('context_compaction')
export class CompactionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  sessionId!: string;

  /** Whether a user requested it, or the context was full. */
  @Column('text')
  trigger!: 'manual' | 'automatic';

  @Column('text')
  status!: 'RUNNING' | 'READY' | 'FAILED' | 'UNDONE' | 'ABANDONED';

  @Column('json', { nullable: true })
  summary!: { text: string } | null;

  @Column('int', { nullable: true })
  summaryTokens!: number | null;

  /** The last turn that the summary covers, by its position. */
  @Column('int')
  markTurn!: number;

  /** The last step of that turn that the summary covers. */
  @Column('int')
  markStep!: number;

  /** The size of the context before. */
  @Column('int')
  tokensBefore!: number;

  /** The size of the context with the summary. */
  @Column('int', { nullable: true })
  tokensAfter!: number | null;

  /** The last turn that `tokensBefore` includes, by its position. */
  @Column('int')
  atTurn!: number;

  /** The last step of that turn that `tokensBefore` includes. */
  @Column('int')
  atStep!: number;

  /** The size of the context when the summary was stored, or undone. */
  @Column('int', { nullable: true })
  atTokens!: number | null;

  @Column('text')
  model!: string;

  @Column('int', { default: 0 })
  promptTokens!: number;

  @Column('int', { default: 0 })
  completionTokens!: number;

  @Column('numeric', { precision: 20, scale: 9, transformer: asNumber, default: 0 })
  cost!: number;

  @Column('boolean', { default: false })
  estimated!: boolean;

  /** From then on, a RUNNING compaction counts as failed. */
  @Column('timestamptz')
  leaseUntil!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** When the status last changed. */
  @Column('timestamptz', { nullable: true })
  changedAt!: Date | null;
}
