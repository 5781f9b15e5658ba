import type {
  EventFilter,
  SubscriptionBatch,
  SubscriptionDebounce,
  SubscriptionOrigin,
} from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which task runs on which event. */
@Entity('subscription')
export class SubscriptionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  applicationId!: string;

  @Column('text')
  event!: string;

  @Column('uuid')
  taskId!: string;

  @Column('json', { nullable: true })
  filter!: EventFilter | null;

  /** How long its event must have been quiet before the last one starts the task. */
  @Column('json', { nullable: true })
  debounce!: SubscriptionDebounce | null;

  /** How many of its events start the task together. */
  @Column('json', { nullable: true })
  batch!: SubscriptionBatch | null;

  @Column('boolean', { default: true })
  enabled!: boolean;

  @Column('text')
  origin!: SubscriptionOrigin;

  @Column('text', { nullable: true })
  defaultKey!: string | null;

  @Column('uuid', { nullable: true })
  createdBy!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiredAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
