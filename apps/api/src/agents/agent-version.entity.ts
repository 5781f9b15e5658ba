import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AgentDefinition } from './agent.entity.ts';

/** One version of an agent, the current one included. Rows never change. */
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

  /** Lacks the fields that were added to agents after it was stored. */
  @Column('json')
  snapshot!: Partial<AgentDefinition>;

  @Column('uuid')
  authorUserId!: string;

  /** When the agent got this version: its `updated_at` at the time. */
  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
