import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A session of a user with an agent. */
@Entity('session')
export class SessionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  agentId!: string;

  @Column('uuid')
  userId!: string;

  /** The session id of the API: a text that the client chose, unique per user and agent. */
  @Column('text')
  name!: string;

  /** The first words of the user. */
  @Column('text', { default: '' })
  title!: string;

  /** The position of the last turn. */
  @Column('int', { default: 0 })
  turnCount!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  lastTurnAt!: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;

  /** Whether lists omit the session: it belongs to an execution without memory. */
  @Column('boolean', { default: false })
  hidden!: boolean;

  /** When the content is deleted; null if it is kept. */
  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;
}
