import type { ConnectionOwner } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in at a provider that a person has begun in a browser. */
@Entity('connection_sign_in')
export class ConnectionSignInEntity {
  /** Of the `state` that the provider returns. */
  @PrimaryColumn('bytea')
  stateHash!: Buffer;

  /** Of the cookie of the browser that began it. */
  @Column('bytea')
  browserHash!: Buffer;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  providerId!: string;

  /** The server and client that were asked: a code is sent to no other one. */
  @Column('text')
  client!: string;

  @Column('uuid')
  userId!: string;

  /** The person's own sign-in, which must last until the end. */
  @Column('uuid')
  sessionId!: string;

  /** The connection whose owner signs in again. */
  @Column('uuid', { nullable: true })
  connectionId!: string | null;

  @Column('text')
  owner!: ConnectionOwner;

  @Column('text', { nullable: true })
  name!: string | null;

  /** Sealed: what proves that the code was asked for here (PKCE). */
  @Column('text')
  verifier!: string;

  /** What an ID token must repeat. */
  @Column('text', { nullable: true })
  nonce!: string | null;

  /** The page of the console on which it ends. */
  @Column('text')
  returnPath!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;
}
