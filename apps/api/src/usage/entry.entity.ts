import type { UsageEntryKind, UsageSource } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/entity-rows.ts';

/** A line of the ledger. Entries are never changed or deleted. */
@Entity('usage_entry')
export class EntryEntity {
  /** The id of the call, decided before the transaction, so that a call is charged once. */
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @PrimaryColumn('uuid')
  spaceId!: string;

  /** The user who was charged or received the grant; null for a grant to the space. */
  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('text')
  kind!: UsageEntryKind;

  /** Positive for grants and openings, negative for charges. */
  @Column('bigint', { transformer: asNumber })
  tokens!: number;

  /** Null for a charge by a model without a price. */
  @Column('numeric', { precision: 20, scale: 9, transformer: asNumber, default: 0, nullable: true })
  cost!: number | null;

  @Column('text')
  source!: UsageSource;

  @Column('uuid', { nullable: true })
  agentId!: string | null;

  /** The id that the client chose. */
  @Column('text', { nullable: true })
  turnId!: string | null;

  /** The name of the model. */
  @Column('text', { nullable: true })
  model!: string | null;

  @Column('int', { default: 0 })
  promptTokens!: number;

  @Column('int', { default: 0 })
  completionTokens!: number;

  @Column('int', { default: 0 })
  cachedTokens!: number;

  @Column('int', { default: 0 })
  reasoningTokens!: number;

  @Column('boolean', { default: false })
  estimated!: boolean;

  @Column('text', { nullable: true })
  note!: string | null;

  /** The admin who created the grant. */
  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** The run of a task that caused the call. */
  @Column('uuid', { nullable: true })
  causationRunId!: string | null;
}
