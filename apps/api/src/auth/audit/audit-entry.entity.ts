import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../principals/user.entity.ts';

/** What a person did in a space. Rows never change; those about runs are kept as long as runs. */
@Entity('audit_entry')
export class AuditEntryEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  /** Null for applications, and for people whom the log must not name. */
  @Column('uuid', { nullable: true })
  actorUserId!: string | null;

  /** `<noun>.<verb>`, such as `member.add`. */
  @Column('text')
  action!: string;

  @Column('text')
  targetType!: string;

  @Column('text', { nullable: true })
  targetId!: string | null;

  /** Never contains a secret. */
  @Column('json')
  details!: Record<string, unknown>;

  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  at!: Date;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'actor_user_id' })
  actor!: UserEntity | null;
}
