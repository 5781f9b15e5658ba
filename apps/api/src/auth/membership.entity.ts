import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('membership')
export class MembershipEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @PrimaryColumn('uuid')
  userId!: string;

  @Column('text')
  role!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  removedAt!: Date | null;
}
