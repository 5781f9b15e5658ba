import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A value by which rows are found and sorted. Triggers of `data_row` maintain it, as the database does with an index. */
@Entity('data_value')
export class DataValueEntity {
  @PrimaryColumn('uuid')
  rowId!: string;

  /** `data_column_key` of the application, table, and column. */
  @PrimaryColumn('uuid')
  columnKey!: string;

  /** A number; 0 or 1 for a boolean; the Unix time in ms of a text that is a time. */
  @Column('float8', { nullable: true })
  number!: number | null;

  /** The first 100 characters of a text. */
  @Column('text', { nullable: true })
  text!: string | null;
}
