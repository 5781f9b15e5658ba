import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A row of a table that an application declares. */
@Entity('data_row')
export class DataRowEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  applicationId!: string;

  @Column('text')
  tableName!: string;

  @Column('json')
  columnValues!: Record<string, unknown>;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  /** Set by processes of the previous version. A trigger then removes the row. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}
