import type { OAuthScope } from '@platform/contracts';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../principals/user.entity.ts';
import { OAuthClientEntity } from './oauth-client.entity.ts';

/**
 * What a person allowed a client in one space, with the code that proves it and the refresh token that continues it.
 * Purged 30 days after its end.
 */
@Entity('oauth_grant')
export class OAuthGrantEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  userId!: string;

  @Column('uuid')
  clientId!: string;

  /** What the client may do, within what the person may do at the time of a call. */
  @Column('text', { array: true })
  scopes!: OAuthScope[];

  /** Where the code was sent. */
  @Column('text')
  redirectUri!: string;

  @Column('text')
  codeChallenge!: string;

  @Column('bytea')
  codeHash!: Buffer;

  /** When the client exchanged the code for its first tokens. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  exchangedAt!: Date | null;

  @Column('bytea', { nullable: true })
  tokenHash!: Buffer | null;

  /** The refresh token before the current one; valid for another 30 seconds, in case a response was lost. */
  @Column('bytea', { nullable: true })
  previousHash!: Buffer | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  previousValidUntil!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** Exact to the minute. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  /** Of the code, and once it is exchanged, of the refresh token. */
  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;

  @ManyToOne(() => OAuthClientEntity)
  @JoinColumn({ name: 'client_id' })
  client!: OAuthClientEntity;

  @ManyToOne(() => UserEntity)
  @JoinColumn({ name: 'user_id' })
  user!: UserEntity;
}
