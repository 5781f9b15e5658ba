import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key with which an application calls. At most two of an application are valid. */
@Entity('system_key')
export class SystemKeyEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  applicationId!: string;

  @Column('text')
  publicId!: string;

  @Column('bytea')
  secretHash!: Buffer;

  /** The API key that made this key, which ends with it; null: a signed-in person made it. */
  @Column('uuid', { nullable: true })
  apiKeyId!: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
