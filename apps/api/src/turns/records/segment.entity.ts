import type { SegmentOrigin } from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { asNumber } from '../../infra/database/entity-rows.ts';
import type { Completed } from './segment-history.store.ts';

/** A segment of a turn: the stream of its start, of a resume, or of a rerun. */
@Entity('turn_segment')
export class SegmentEntity {
  @PrimaryColumn('uuid')
  turnId!: string;

  /** Numbered from 1 within the turn. */
  @PrimaryColumn('int')
  segment!: number;

  @Column('text')
  origin!: SegmentOrigin;

  @Column('uuid')
  streamId!: string;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** The first step that the segment stored; null for segments of earlier versions. */
  @Column('int', { nullable: true })
  firstStep!: number | null;

  /** The usage of the turn when the segment was opened; null for segments of earlier versions. */
  @Column('bigint', { transformer: asNumber, nullable: true })
  promptTokensBefore!: number | null;

  @Column('bigint', { transformer: asNumber, nullable: true })
  completionTokensBefore!: number | null;

  @Column('numeric', { precision: 20, scale: 9, transformer: asNumber, nullable: true })
  costBefore!: number | null;

  /** The last product event, stored for longer than the frames. */
  @Column('json', { nullable: true })
  completed!: Completed | null;
}
