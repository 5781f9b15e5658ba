import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/entity-rows.ts';
import type { Charge, ChargeSource } from './charge.ts';

/** Tokens set aside for a running call; 0 tokens if the call has no limit. Deleted when the call is charged. */
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
  source!: ChargeSource;

  /** Identifies for the owner what was used, such as the id of a turn. */
  @Column('text')
  reference!: string;

  /** What is charged if the reservation expires; null if the owner decides. */
  @Column('json', { nullable: true })
  chargeOnExpiry!: Charge | null;

  /** By how much a renewal moves `expiresAt`. */
  @Column('int')
  leaseMs!: number;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
