import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The events of one key in the current and the previous window; see `SharedWindow`. */
@Entity('rate_window')
export class RateWindowEntity {
  /** A keyed digest: who is counted cannot be read from it. */
  @PrimaryColumn('bytea')
  key!: Buffer;

  /** When the current window started. */
  @Column('timestamptz')
  startedAt!: Date;

  @Column('int')
  previousCount!: number;

  @Column('int')
  currentCount!: number;
}
