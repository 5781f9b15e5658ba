import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One or more frames of a stream, encoded as they are sent. The key contains only the first of them. */
@Entity('stream_frame')
export class StreamFrameEntity {
  @PrimaryColumn('uuid')
  streamId!: string;

  /** The `seq` of the first frame. */
  @PrimaryColumn('int')
  fromSeq!: number;

  /** The `seq` of the last frame. */
  @Column('int')
  toSeq!: number;

  @Column('bytea')
  data!: Buffer;
}
