import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('agent_version')
export class AgentVersionEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  agentId!: string;

  @Column('int')
  version!: number;

  @Column('json')
  snapshot!: unknown;

  @Column('uuid')
  authorUserId!: string;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
