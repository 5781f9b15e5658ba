import { Entity, PrimaryColumn } from 'typeorm';

/** What a delivery tells. */
@Entity('notification_item')
export class NotificationItemEntity {
  @PrimaryColumn('uuid')
  deliveryId!: string;

  @PrimaryColumn('uuid')
  notificationId!: string;
}
