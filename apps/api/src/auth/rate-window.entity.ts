import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('rate_window')
export class RateWindowEntity {
  @PrimaryColumn('bytea')
  key!: Buffer;

  @Column('timestamptz')
  startedAt!: Date;

  @Column('int')
  previousCount!: number;

  @Column('int')
  currentCount!: number;
}
