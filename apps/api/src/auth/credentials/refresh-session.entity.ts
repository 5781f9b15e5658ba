import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in of a browser, with the one refresh token that continues it. Purged 30 days after its end. */
@Entity('refresh_session')
export class RefreshSessionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  /** The space of the latest access token. */
  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  userId!: string;

  @Column('bytea')
  tokenHash!: Buffer;

  /** The token before the current one; valid for another 30 seconds, in case a response was lost. */
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
