import type { KeyScope } from '@platform/contracts';
import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { SpaceEntity } from '../principals/space.entity.ts';

/** A person's API key for one space: `pk_<public id>_<secret>`. */
@Entity('api_key')
export class ApiKeyEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  userId!: string;

  @Column('text')
  name!: string;

  /** By which the key is found; not a secret. */
  @Column('text')
  publicId!: string;

  @Column('bytea')
  secretHash!: Buffer;

  /** What the key may do, within what its owner may do at the time of a call. */
  @Column('text', { array: true })
  scopes!: KeyScope[];

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** Null: never. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** Exact to the minute. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;

  @ManyToOne(() => SpaceEntity)
  @JoinColumn({ name: 'space_id' })
  space!: SpaceEntity;
}
