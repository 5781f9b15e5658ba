import type { DeliveryOutcome } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A subscription that matched a generation of an envelope. Partitioned by month. */
@Entity('delivery')
export class DeliveryEntity {
  @PrimaryColumn('uuid')
  envelopeId!: string;

  @PrimaryColumn('uuid')
  subscriptionId!: string;

  @PrimaryColumn('int')
  generation!: number;

  @Column('uuid', { nullable: true })
  runId!: string | null;

  @Column('text')
  outcome!: DeliveryOutcome;

  /** The space, if the run is shared and has failed: a trigger on `run` sets it, and a replay clears it. */
  @Column('uuid', { nullable: true })
  failedIn!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
