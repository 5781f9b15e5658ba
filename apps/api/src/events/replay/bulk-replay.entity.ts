import type { ReplayQuery } from '@platform/contracts';
import { Column, Entity } from 'typeorm';
import { BulkWorkEntity } from '../../infra/bulk/bulk-work.entity.ts';

/** A replay of many envelopes. */
@Entity('bulk_replay')
export class BulkReplayEntity extends BulkWorkEntity {
  @Column('json')
  query!: ReplayQuery;

  @Column('int', { default: 0 })
  replayed!: number;
}
