import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The sums of `event_minute` over an hour. */
@Entity('event_hour')
export class EventHourEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @PrimaryColumn('timestamptz')
  hour!: Date;

  @PrimaryColumn('uuid')
  applicationId!: string;

  @PrimaryColumn('text')
  event!: string;

  @Column('int')
  dispatched!: number;

  @Column('int')
  failed!: number;

  @Column('int')
  skipped!: number;

  @Column('int')
  pending!: number;
}
