import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One of the places in which runs of a task with the same key execute at the same time. A run has it until it stops executing. */
@Entity('run_key_place')
export class RunKeyPlaceEntity {
  @PrimaryColumn('uuid')
  taskId!: string;

  /** A hash of the value of the key. */
  @PrimaryColumn('bytea')
  concurrencyKey!: Buffer;

  @PrimaryColumn('int')
  n!: number;

  /** It executes, or is about to. */
  @Column('uuid')
  runId!: string;
}
