import type { Role } from '@platform/contracts';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { SpaceEntity } from './space.entity.ts';
import { UserEntity } from './user.entity.ts';

/** A person in a space. The row of a removed member stays, and is used again if the person comes back. */
@Entity('membership')
export class MembershipEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @PrimaryColumn('uuid')
  userId!: string;

  @Column('text')
  role!: Role;

  /** When the person joined, the last time. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  removedAt!: Date | null;

  @ManyToOne(() => SpaceEntity)
  @JoinColumn({ name: 'space_id' })
  space!: SpaceEntity;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id' })
  user!: UserEntity;
}
