import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A stream of frames. Only the process with the current fencing token may write it. */
@Entity('stream')
export class StreamEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  /** The number of the segment, which is part of the id of every frame. */
  @Column('int')
  segment!: number;

  /** Changes when another process takes over; every write names it. */
  @Column('uuid')
  fencingToken!: string;

  /** When the writer counts as dead, unless it renews its lease. */
  @Column('timestamptz')
  leaseUntil!: Date;

  /** Set when a cancel is requested. The writer polls for it. */
  @Column('timestamptz', { nullable: true })
  cancelRequestedAt!: Date | null;

  /** Set when the stream ends. */
  @Column('int', { nullable: true })
  lastSeq!: number | null;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** False when the frames have been purged. */
  @Column('boolean', { default: true })
  framesKept!: boolean;
}
