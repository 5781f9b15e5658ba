import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How many events of a space the limit of emissions refused in a minute. */
@Entity('emission_refusal')
export class EmissionRefusalEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @PrimaryColumn('timestamptz')
  minute!: Date;

  @Column('bigint')
  events!: string;

  /** When some were refused last, to a few seconds. */
  @Column('timestamptz')
  lastAt!: Date;
}
