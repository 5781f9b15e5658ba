import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/columns.ts';

@Entity('usage_reservation')
export class ReservationEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  userId!: string;

  @Column('bigint', { transformer: asNumber })
  tokens!: number;

  @Column('text')
  source!: string;

  @Column('text')
  reference!: string;

  @Column('json', { nullable: true })
  chargeOnExpiry!: unknown;

  @Column('int')
  leaseMs!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
