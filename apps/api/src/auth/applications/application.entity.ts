import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An application of a space. The row stays when the application is uninstalled, so that a new installation finds what it left. */
@Entity('application')
export class ApplicationEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('text')
  identifier!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  uninstalledAt!: Date | null;
}
