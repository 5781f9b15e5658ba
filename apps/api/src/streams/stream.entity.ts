import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('stream')
export class StreamEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('int')
  segment!: number;

  @Column('uuid')
  fencingToken!: string;

  @Column('timestamptz')
  leaseUntil!: Date;

  @Column('timestamptz', { nullable: true })
  cancelRequestedAt!: Date | null;

  @Column('int', { nullable: true })
  lastSeq!: number | null;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('boolean', { default: true })
  framesKept!: boolean;
}
