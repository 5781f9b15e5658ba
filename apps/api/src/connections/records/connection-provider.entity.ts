import type { ConnectionProviderKind } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How the clients of an authorization server reach it, and who the platform is to it. */
export interface OAuthSettings {
  /** Null: the server does not say who it is, so its answers cannot be checked for it. */
  issuer: string | null;
  /** Null: people cannot sign in; only the platform itself can get tokens. */
  authorizationEndpoint: string | null;
  tokenEndpoint: string;
  /** Null: tokens cannot be revoked there (RFC 7009). */
  revocationEndpoint: string | null;
  clientId: string;
  /** How the client authenticates: in a header, in the body, or with PKCE alone. */
  clientAuth: 'basic' | 'post' | 'none';
  scopes: string[];
  /** Added to the address at which people sign in. */
  parameters: Record<string, string>;
  /** For whom tokens are made out (RFC 8707). */
  resource: string | null;
  /** The format of requests to the token endpoint; `json` is for servers that know no forms. */
  tokenFormat: 'form' | 'json';
  /** Whether every answer must name the issuer (RFC 9207). */
  sendsIssuer: boolean;
}

/** Where a key or the value of a header is sent. */
export interface Placement {
  in: 'header' | 'query' | 'cookie';
  name: string;
}

/** What people and the space connect to. */
@Entity('connection_provider')
export class ConnectionProviderEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  kind!: ConnectionProviderKind;

  /** The preset that it was made from. */
  @Column('text', { nullable: true })
  preset!: string | null;

  /** Where tokens may be sent to. */
  @Column('text', { array: true })
  origins!: string[];

  /** Of kinds `key` and `header`. */
  @Column('json', { nullable: true })
  placement!: Placement | null;

  /** Of kind `oauth2`. */
  @Column('json', { nullable: true })
  oauth!: OAuthSettings | null;

  /** Sealed. */
  @Column('text', { nullable: true })
  clientSecret!: string | null;

  /** What a test of a connection calls. */
  @Column('text', { nullable: true })
  testUrl!: string | null;

  @Column('uuid')
  createdBy!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
