import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('interaction')
export class InteractionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  turnId!: string;

  @Column('text')
  callId!: string;

  @Column('json')
  question!: unknown;

  @Column('text')
  status!: string;

  @Column('json', { nullable: true })
  answer!: unknown;

  @Column('int', { nullable: true })
  segment!: number | null;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  endedAt!: Date | null;
}
