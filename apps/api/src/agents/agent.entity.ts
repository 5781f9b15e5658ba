import type {
  AccessScope,
  AgentKnowledge,
  AgentSettings,
  AgentTool,
  AgentVariable,
  LocalToolDeclaration,
} from '@platform/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * What the owner defines. Every version stores it completely. The initial values are the defaults of new agents and
 * of versions that are older than a column.
 */
export class AgentDefinition {
  @Column('text')
  name = '';

  @Column('text')
  description = '';

  /** The name of a model, looked up in the catalog at each call. */
  @Column('text')
  model = '';

  @Column('text')
  systemPrompt = '';

  @Column('text')
  accessScope: AccessScope = 'SPACE';

  /** Ids of users as they were sent, members or not. */
  @Column('text', { array: true })
  allowedUserIds: string[] = [];

  /** As declared; the variables of the prompt need no declaration. */
  @Column('json')
  variables: AgentVariable[] = [];

  @Column('json')
  tools: AgentTool[] = [];

  @Column('json')
  localTools: LocalToolDeclaration[] = [];

  @Column('json')
  knowledge: AgentKnowledge = { enabled: false, topK: 5 };

  @Column('json')
  settings: AgentSettings = {};

  @Column('boolean')
  askUser = true;
}

/** An agent as it is now; `agent_version` has what it was before. */
@Entity('agent')
export class AgentEntity {
  @PrimaryColumn('uuid', { default: () => 'uuid_v7()' })
  id!: string;

  @Column('uuid')
  spaceId!: string;

  @Column('uuid')
  ownerUserId!: string;

  @Column(() => AgentDefinition, { prefix: false })
  definition!: AgentDefinition;

  /** 1 for a new agent; each change adds 1. */
  @Column('int')
  version!: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  updatedAt!: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt!: Date | null;
}
