import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/columns.ts';

@Entity('usage_entry')
export class EntryEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @PrimaryColumn('uuid')
  spaceId!: string;

  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('text')
  kind!: string;

  @Column('bigint', { transformer: asNumber })
  tokens!: number;

  @Column('numeric', { precision: 20, scale: 9, transformer: asNumber, default: 0 })
  cost!: number;

  @Column('text')
  source!: string;

  @Column('uuid', { nullable: true })
  agentId!: string | null;

  @Column('text', { nullable: true })
  turnId!: string | null;

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

  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('uuid', { nullable: true })
  causationRunId!: string | null;
}
