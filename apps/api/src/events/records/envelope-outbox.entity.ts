import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/entity-rows.ts';

/** An envelope that waits to be dispatched. */
@Entity('envelope_outbox')
export class EnvelopeOutboxEntity {
  @PrimaryColumn('uuid')
  envelopeId!: string;

  @PrimaryColumn('int')
  generation!: number;

  @Column('uuid')
  spaceId!: string;

  @Column('int', { default: 0 })
  attempts!: number;

  @Column('boolean', { default: false })
  isSuspect!: boolean;

  @Column('bigint', { transformer: asNumber, default: 0 })
  fencingToken!: number;

  @Column('timestamptz', { nullable: true })
  leaseUntil!: Date | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  availableAt!: Date;

  @Column('int', { default: 0 })
  hints!: number;

  @Column('timestamptz')
  nextPublishAt!: Date;
}
