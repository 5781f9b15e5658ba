import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A program that asks people to let it use a space over MCP. Purged a day after it was read, unless it has grants. */
@Entity('oauth_client')
export class OAuthClientEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  /** The address of its document, or the id that it was given when it registered itself. */
  @Column('text')
  clientId!: string;

  /** Whether it is described by a document at its own address, instead of having registered itself. */
  @Column('boolean')
  isDocument!: boolean;

  /** What it calls itself: anyone can choose any name. */
  @Column('text')
  name!: string;

  @Column('text', { array: true })
  redirectUris!: string[];

  /** When it registered itself, or when its document was read. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  readAt!: Date;
}
