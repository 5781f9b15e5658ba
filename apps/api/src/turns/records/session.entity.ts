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

  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  title!: string;

  @Column('int', { default: 0 })
  turnCount!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  lastTurnAt!: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;

  @Column('boolean', { default: false })
  hidden!: boolean;

  @Column('timestamptz', { nullable: true })
  expiresAt!: Date | null;
}
