import type { NotificationDeliveryStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What was sent, without secrets. */
export interface SentRequest {
  method: string;
  /** Only the origin of the address of a chat; `smtp://` of a mail server. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface ReceivedResponse {
  /** Of HTTP, or of SMTP. */
  status: number;
  body: string;
}

/** What became of one attempt. */
export interface Sent {
  request: SentRequest | null;
  response: ReceivedResponse | null;
  /** Null: the message was accepted. */
  error: string | null;
}

/** A message to a channel: stored before it is sent, and sent at least once. */
@Entity('notification_delivery')
export class NotificationDeliveryEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  channelId!: string;

  @Column('text', { default: 'PENDING' })
  status!: NotificationDeliveryStatus;

  @Column('boolean', { default: false })
  isTest!: boolean;

  /** Whether what happens still goes into it. A channel has at most one. */
  @Column('boolean', { default: false })
  isOpen!: boolean;

  /** Whether a process is sending it; until `due_at`, nobody else does. */
  @Column('boolean', { default: false })
  isAttempted!: boolean;

  /** The delivery whose content it sends again. */
  @Column('uuid', { nullable: true })
  resendOf!: string | null;

  /** How much happened; it keeps the first 100. */
  @Column('int')
  count!: number;

  @Column('int', { default: 0 })
  attempts!: number;

  /** Set while it is PENDING. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @Column('json', { nullable: true })
  request!: SentRequest | null;

  @Column('json', { nullable: true })
  response!: ReceivedResponse | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  endedAt!: Date | null;
}
