import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('webhook_delivery')
export class WebhookDeliveryEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  jobId!: string;

  @Column('int')
  segment!: number;

  @Column('text')
  type!: string;

  @Column('text')
  url!: string;

  @Column('text')
  body!: string;

  @Column('int', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  availableAt!: Date;

  @Column('int', { default: 0 })
  hints!: number;

  @Column('timestamptz', { nullable: true })
  nextPublishAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  deliveredAt!: Date | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
