import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The run that further events of a subscription take over as long as it has not begun. */
@Entity('debounced_run')
export class DebouncedRunEntity {
  @PrimaryColumn('uuid')
  subscriptionId!: string;

  /** Of the value of the key. */
  @PrimaryColumn('bytea')
  keyHash!: Buffer;

  @Column('uuid')
  runId!: string;

  @Column('timestamptz')
  dueAt!: Date;
}
