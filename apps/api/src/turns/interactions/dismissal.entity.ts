import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An agent that was deleted, or a person who has left the space: turns that wait for an answer there are to be ended. */
@Entity('turn_dismissal')
export class DismissalEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  /** Either this or `userId` is null. */
  @Column('uuid', { nullable: true })
  agentId!: string | null;

  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** When to look for such turns. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  dueAt!: Date;
}
