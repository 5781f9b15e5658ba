import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('invitation')
export class InvitationEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  email!: string;

  @Column('text')
  role!: string;

  @Column('uuid')
  invitedBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  endedAt!: Date | null;

  @Column('text', { nullable: true })
  outcome!: string | null;
}
