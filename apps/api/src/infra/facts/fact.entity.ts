import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Something that happened and that nobody has been told yet. */
@Entity('fact')
export class FactEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  name!: string;

  /** What happened once has one key in its space. */
  @Column('text')
  key!: string;

  @Column('json')
  payload!: Record<string, unknown>;

  /** The run that caused it. */
  @Column('uuid', { nullable: true })
  causationRunId!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
