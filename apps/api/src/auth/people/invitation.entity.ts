import type { Role } from '@platform/contracts';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { SpaceEntity } from '../principals/space.entity.ts';
import { UserEntity } from '../principals/user.entity.ts';

export type InvitationOutcome = 'ACCEPTED' | 'DECLINED' | 'WITHDRAWN';

/** An invitation of an email address to a space. An address has at most one pending invitation per space. */
@Entity('invitation')
export class InvitationEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  email!: string;

  /** The role that the invited person will have. */
  @Column('text')
  role!: Role;

  @Column('uuid')
  invitedBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** Null while the invitation is pending. Rows are purged 30 days later. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  endedAt!: Date | null;

  @Column('text', { nullable: true })
  outcome!: InvitationOutcome | null;

  @ManyToOne(() => SpaceEntity)
  @JoinColumn({ name: 'space_id' })
  space!: SpaceEntity;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'invited_by' })
  inviter!: UserEntity;
}
