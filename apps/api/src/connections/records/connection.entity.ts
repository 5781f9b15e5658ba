import type { ConnectionKind, ConnectionReason, ConnectionStatus } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What one person, or the space, may do at a provider. */
@Entity('connection')
export class ConnectionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  providerId!: string;

  /** Null: the space. */
  @Column('uuid', { nullable: true })
  ownerUserId!: string | null;

  @Column('text')
  name!: string;

  @Column('text')
  kind!: ConnectionKind;

  /** Where its tokens may be sent to: those of the provider when its owner connected. */
  @Column('text', { array: true })
  origins!: string[];

  /** What was granted. */
  @Column('text', { array: true })
  scopes!: string[];

  /** Who its owner is at the provider, if the provider says so. */
  @Column('text', { nullable: true })
  account!: string | null;

  /** Of kind `basic`. */
  @Column('text', { nullable: true })
  username!: string | null;

  /** Sealed: the access token, key, password, or value. */
  @Column('text', { nullable: true })
  secret!: string | null;

  /** Sealed. */
  @Column('text', { nullable: true })
  refreshToken!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** From when on the access token is renewed before it is used. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  renewAt!: Date | null;

  @Column('text')
  status!: ConnectionStatus;

  /** Why it is not usable, or could not be renewed. */
  @Column('text', { nullable: true })
  reason!: ConnectionReason | null;

  /** Changes whenever its owner connects again, perhaps as somebody else. */
  @Column('int', { default: 1 })
  grantNumber!: number;

  /** Changes with the access token. */
  @Column('int', { default: 1 })
  generation!: number;

  /** The access token that a tool refused after it was renewed. */
  @Column('int', { nullable: true })
  refusedGeneration!: number | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  refusedAt!: Date | null;

  /** Proves who renews it. */
  @Column('int', { default: 0 })
  fencingToken!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** How many requests for a new access token were begun without an answer. */
  @Column('int', { default: 0 })
  unanswered!: number;

  @Column('int', { default: 0 })
  failures!: number;

  /** Before that, no further request for an access token is made. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retryAt!: Date | null;

  /** When its tokens are to be revoked at the provider. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokeAt!: Date | null;

  @Column('int', { default: 0 })
  revokeAttempts!: number;

  @Column('uuid')
  createdBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}
