import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The key with which a person started a run of a task, so that a repeated start finds it. */
@Entity('run_start_key')
export class RunStartKeyEntity {
  @PrimaryColumn('uuid')
  taskId!: string;

  @PrimaryColumn('uuid')
  userId!: string;

  @PrimaryColumn('bytea')
  keyHash!: Buffer;

  /** Of the inputs of the run, which the repeated start must have as well. */
  @Column('bytea')
  inputsHash!: Buffer;

  @Column('uuid')
  runId!: string;
}
