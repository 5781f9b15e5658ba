import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('stream_frame')
export class StreamFrameEntity {
  @PrimaryColumn('uuid')
  streamId!: string;

  @PrimaryColumn('int')
  fromSeq!: number;

  @Column('int')
  toSeq!: number;

  @Column('bytea')
  data!: Buffer;
}
