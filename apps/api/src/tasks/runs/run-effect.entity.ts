import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A change that a run has made, by a key that all its attempts share. */
@Entity('run_effect')
export class RunEffectEntity {
  @PrimaryColumn('uuid')
  runId!: string;

  @PrimaryColumn('bytea')
  keyHash!: Buffer;

  @Column('json')
  result!: object;
}
