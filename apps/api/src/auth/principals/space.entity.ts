import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What people, agents, and everything else belong to. */
@Entity('space')
export class SpaceEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('text')
  name!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
