import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One attempt to deliver a webhook. The last twenty of a delivery are kept. */
@Entity('webhook_attempt')
export class WebhookAttemptEntity {
  @PrimaryColumn('uuid')
  deliveryId!: string;

  /** Counts from 1. */
  @PrimaryColumn('int')
  attempt!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  startedAt!: Date;

  /** Null until it ends; forever if the process died. */
  @Column('int', { nullable: true })
  durationMs!: number | null;

  /** Of HTTP; null if nobody responded, 0 if the service failed to send. */
  @Column('int', { nullable: true })
  status!: number | null;

  /** The beginning, without secrets. Null once the message is no longer kept. */
  @Column('text', { nullable: true })
  responseBody!: string | null;
}
