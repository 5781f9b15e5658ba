import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('audit_entry')
export class AuditEntryEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid', { nullable: true })
  actorUserId!: string | null;

  @Column('text')
  action!: string;

  @Column('text')
  targetType!: string;

  @Column('text', { nullable: true })
  targetId!: string | null;

  @Column('json')
  details!: unknown;

  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  at!: Date;
}
