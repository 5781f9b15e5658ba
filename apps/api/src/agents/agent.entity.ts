import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('agent')
export class AgentEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  ownerUserId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  description!: string;

  @Column('text')
  model!: string;

  @Column('text')
  systemPrompt!: string;

  @Column('text')
  accessScope!: string;

  @Column('text', { array: true })
  allowedUserIds!: string[];

  @Column('json')
  variables!: unknown;

  @Column('json')
  tools!: unknown;

  @Column('json')
  localTools!: unknown;

  @Column('json')
  knowledge!: unknown;

  @Column('json')
  settings!: unknown;

  @Column('boolean')
  askUser!: boolean;

  @Column('int')
  version!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;
}
