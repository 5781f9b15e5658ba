import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The approval of all calls of a method in one session, or in one run. */
@Entity('tool_consent')
export class ConsentEntity {
  /** The session or the run. */
  @PrimaryColumn('uuid')
  placeId!: string;

  /** Of a method of the platform, its name. */
  @PrimaryColumn('text')
  methodId!: string;

  @Column('uuid')
  spaceId!: string;

  /** Calls of another version ask again. */
  @Column('text')
  methodVersion!: string;

  @Column('uuid')
  approvedBy!: string;

  @Column('timestamptz')
  expiresAt!: Date;
}
