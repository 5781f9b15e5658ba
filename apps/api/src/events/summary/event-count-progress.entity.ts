import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The time before which all envelopes are counted in `event_minute`. One row. */
@Entity('event_count_progress')
export class EventCountProgressEntity {
  @PrimaryColumn('boolean', { default: true })
  isOnly!: boolean;

  @Column('timestamptz')
  countedUntil!: Date;
}
