import type { BulkReplayStatus, ReplayQuery } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A replay of many envelopes. */
@Entity('bulk_replay')
export class BulkReplayEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  requestedBy!: string;

  @Column('json')
  query!: ReplayQuery;

  @Column('text', { default: 'RUNNING' })
  status!: BulkReplayStatus;

  @Column('int')
  total!: number;

  @Column('int', { default: 0 })
  replayed!: number;

  @Column('int', { default: 0 })
  refused!: number;

  @Column('int')
  perSecond!: number;

  @Column('uuid', { nullable: true })
  position!: string | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
