import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('refresh_session')
export class RefreshSessionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  userId!: string;

  @Column('bytea')
  tokenHash!: Buffer;

  @Column('bytea', { nullable: true })
  previousHash!: Buffer | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  previousValidUntil!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  refreshedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => "(clock_timestamp() + '30 days'::interval)" })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
