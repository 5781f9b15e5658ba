import type { BulkReplayStatus } from '@platform/contracts';
import { Column, PrimaryColumn } from 'typeorm';

/** The columns of work on many rows, which processes execute in batches. A table adds its `query`, and what was done. */
export abstract class BulkWorkEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  requestedBy!: string;

  @Column('text', { default: 'RUNNING' })
  status!: BulkReplayStatus;

  @Column('int')
  total!: number;

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
