import type { ManifestColumn } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A table that an application declares. Retired while the installed version does not declare it; its rows stay. */
@Entity('data_table')
export class DataTableEntity {
  @PrimaryColumn('uuid')
  spaceId!: string;

  @PrimaryColumn('uuid')
  applicationId!: string;

  @PrimaryColumn('text')
  name!: string;

  @Column('json')
  columns!: ManifestColumn[];

  /** The event of the application that an insert emits. */
  @Column('text', { nullable: true })
  insertEvent!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiredAt!: Date | null;
}
