import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../infra/database/columns.ts';

@Entity('usage_account')
export class AccountEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('boolean', { default: false })
  hasGrant!: boolean;

  @Column('bigint', { transformer: asNumber })
  balance!: number;

  /** Computed by the database: the user, or the space if it is the account of the space. */
  @PrimaryColumn('uuid', { insert: false, update: false })
  ownerId!: string;
}
