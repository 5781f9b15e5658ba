import type {
  NotificationChannelKind,
  NotificationEvent,
  NotificationSeverity,
  SmtpSecurity,
} from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { QuietHours } from './quiet-hours.ts';

/** A mail server and what it delivers; the password is sealed. */
export interface SmtpSettings {
  host: string;
  port: number;
  security: SmtpSecurity;
  username: string | null;
  from: string;
  to: string[];
}

/** Where a space is told what happens. */
@Entity('notification_channel')
export class NotificationChannelEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  kind!: NotificationChannelKind;

  /** The address; of a chat only its origin, because the rest is a secret. */
  @Column('text', { nullable: true })
  url!: string | null;

  @Column('json', { nullable: true })
  smtp!: SmtpSettings | null;

  /** The encrypted `ChannelSecrets`. */
  @Column('text', { nullable: true })
  sealed!: string | null;

  @Column('text', { array: true })
  events!: NotificationEvent[];

  @Column('text')
  minSeverity!: NotificationSeverity;

  /** The least time between two deliveries; 0: what happens is sent at once. */
  @Column('int')
  digestMinutes!: number;

  @Column('json', { nullable: true })
  quietHours!: QuietHours | null;

  @Column('boolean')
  enabled!: boolean;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastSentAt!: Date | null;

  @Column('uuid')
  createdBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
