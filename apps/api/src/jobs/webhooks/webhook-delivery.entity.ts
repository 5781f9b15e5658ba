import type { WebhookType } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A webhook to be delivered, at least once. At most one per job, segment, and type. */
@Entity('webhook_delivery')
export class WebhookDeliveryEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  jobId!: string;

  /** The segment of the turn whose end it reports; 0 if none ran. */
  @Column('int')
  segment!: number;

  @Column('text')
  type!: WebhookType;

  @Column('text')
  url!: string;

  /** Null once it is no longer kept. */
  @Column('text', { nullable: true })
  body!: string | null;

  @Column('int', { default: 0 })
  attempts!: number;

  /** When the next attempt can be made. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  availableAt!: Date;

  /** Hints published since the last attempt; the next is published later each time. */
  @Column('int', { default: 0 })
  hints!: number;

  /** When the next hint is due; null when it was delivered or given up. */
  @Column('timestamptz', { nullable: true })
  nextPublishAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  deliveredAt!: Date | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
