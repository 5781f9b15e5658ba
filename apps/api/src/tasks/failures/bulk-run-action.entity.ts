import type { CreateBulkRunActionRequest } from '@platform/contracts';
import { Column, Entity } from 'typeorm';
import { BulkWorkEntity } from '../../infra/bulk/bulk-work.entity.ts';

export type BulkRunQuery = Pick<CreateBulkRunActionRequest, 'action' | 'select'>;

/** A retry, cancellation, or dismissal of many runs. */
@Entity('bulk_run_action')
export class BulkRunActionEntity extends BulkWorkEntity {
  @Column('json')
  query!: BulkRunQuery;

  @Column('int', { default: 0 })
  changed!: number;
}
