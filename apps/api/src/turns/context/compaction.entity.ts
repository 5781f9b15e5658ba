import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/columns.ts';

/** A summary of a session's history, or the attempt to write one. */
@Entity('context_compaction')
export class CompactionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  sessionId!: string;

  @Column('text')
  trigger!: 'manual' | 'automatic';

  @Column('text')
  status!: 'RUNNING' | 'READY' | 'FAILED' | 'UNDONE' | 'ABANDONED';

  @Column('json', { nullable: true })
  summary!: { text: string } | null;

  @Column('int', { nullable: true })
  summaryTokens!: number | null;

  @Column('int')
  markTurn!: number;

  @Column('int')
  markStep!: number;

  @Column('int')
  tokensBefore!: number;

  @Column('int', { nullable: true })
  tokensAfter!: number | null;

  @Column('int')
  atTurn!: number;

  @Column('int')
  atStep!: number;

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

  @Column('timestamptz')
  leaseUntil!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz', { nullable: true })
  changedAt!: Date | null;
}
