import { Column, Entity, PrimaryColumn } from 'typeorm';

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

  @Column('boolean', { default: false })
  installationAdmin!: boolean;

  @Column('boolean', { default: false })
  passwordTemporary!: boolean;
}
