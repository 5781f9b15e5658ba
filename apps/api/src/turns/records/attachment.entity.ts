import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A medium that was sent in a session, with its bytes. */
@Entity('attachment')
export class AttachmentEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  sessionId!: string;

  /** Detected from the bytes if possible. */
  @Column('text')
  mime!: string;

  /** The size of `data`. */
  @Column('int')
  bytes!: number;

  @Column('bytea')
  sha256!: Buffer;

  @Column('bytea')
  data!: Buffer;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
