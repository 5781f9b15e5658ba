import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person's account. Accounts are never deleted; `lower(email)` is unique. */
@Entity('platform_user')
export class UserEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('text')
  email!: string;

  @Column('text')
  name!: string;

  @Column('text')
  passwordHash!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  passwordChangedAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** Whether the person may create accounts and add anyone to a space. */
  @Column('boolean', { default: false })
  installationAdmin!: boolean;

  /** Whether someone else chose the password: until it is changed, nothing else is allowed. */
  @Column('boolean', { default: false })
  passwordTemporary!: boolean;
}
