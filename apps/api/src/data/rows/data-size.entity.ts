import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/entity-rows.ts';

/** By how much the rows of a table have changed. The sum of all is what the table has; a sweep adds them up. */
@Entity('data_size')
export class DataSizeEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  applicationId!: string;

  @Column('text')
  tableName!: string;

  @Column('bigint', { transformer: asNumber })
  rowCount!: number;

  @Column('bigint', { transformer: asNumber })
  bytes!: number;
}
