import type { NotificationEvent, NotificationSeverity } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Something that happened in a space, told once. */
@Entity('notification')
export class NotificationEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  event!: NotificationEvent;

  @Column('text')
  key!: string;

  @Column('text')
  severity!: NotificationSeverity;

  @Column('json')
  payload!: Record<string, unknown>;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
