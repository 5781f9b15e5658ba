import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A part of retention that runs periodically, and how it went. */
@Entity('sweep')
export class SweepEntity {
  @PrimaryColumn('text')
  name!: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  succeededAt!: Date | null;

  /** When it last failed; null if it has succeeded since. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  failedAt!: Date | null;

  /** How often it has failed since it last succeeded. */
  @Column('int', { default: 0 })
  failures!: number;
}
