import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/entity-rows.ts';

/** The balance of a space, or of a user in a space. It equals the sum of the entries of the account. */
@Entity('usage_account')
export class AccountEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  /** Null for the account of the space. */
  @Column('uuid', { nullable: true })
  userId!: string | null;

  /** Without a grant there is no limit. */
  @Column('boolean', { default: false })
  hasGrant!: boolean;

  @Column('bigint', { transformer: asNumber })
  balance!: number;

  /** The tokens of the last grant to the space, of which a tenth is low. Null: there was none, or it is an account of a user. */
  @Column('bigint', { transformer: asNumber, nullable: true })
  lastGrant!: number | null;

  /** Generated: the user id, or the space id for the account of the space. */
  @PrimaryColumn('uuid', { insert: false, update: false })
  ownerId!: string;
}
