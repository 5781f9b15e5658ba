import type { EnvelopeReason, EnvelopeStatus, ReplayOnly, SubscriptionVerdict } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A replay of an envelope, with what had become of the generation before it. */
@Entity('envelope_replay')
export class EnvelopeReplayEntity {
  @PrimaryColumn('uuid')
  envelopeId!: string;

  @PrimaryColumn('int')
  generation!: number;

  @Column('uuid', { nullable: true })
  requestedBy!: string | null;

  @Column('uuid', { nullable: true })
  bulkReplayId!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  requestedAt!: Date;

  /** Below the run that requested the replay; null: the depth and path of the envelope. */
  @Column('int', { nullable: true })
  depth!: number | null;

  @Column('text', { array: true, nullable: true })
  path!: string[] | null;

  /** What the request limits the replay to; both null: nothing. */
  @Column('text', { nullable: true })
  limitOnly!: ReplayOnly | null;

  @Column('uuid', { array: true, nullable: true })
  limitSubscriptionIds!: string[] | null;

  /** The subscriptions that follow from it; null: all. */
  @Column('uuid', { array: true, nullable: true })
  limitedTo!: string[] | null;

  @Column('text')
  previousStatus!: EnvelopeStatus;

  @Column('text', { nullable: true })
  previousReason!: EnvelopeReason | null;

  @Column('int')
  previousMatchedCount!: number;

  @Column('json', { nullable: true })
  previousVerdicts!: SubscriptionVerdict[] | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  previousDispatchedAt!: Date | null;
}
