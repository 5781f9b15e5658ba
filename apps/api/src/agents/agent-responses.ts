import type {
  Agent,
  AgentListing,
  AgentTool,
  AgentVersion,
  AgentToolStatus,
  UserSummary,
} from '@platform/contracts';
import { decideAccess } from './agent-access.ts';
import { definitionOf } from './agent-definition.ts';
import type { AgentVersionEntity } from './agent-version.entity.ts';
import type { AgentEntity } from './agent.entity.ts';
import { mergeVariables } from './template.ts';

/** Whether a tool of an agent exists. */
export type ToolStatusOf = (tool: AgentTool) => AgentToolStatus['status'];

/** An agent for its owner and for admins. */
export function toAgent(
  agent: AgentEntity,
  userId: string,
  modelStatus: Agent['modelStatus'],
  toolStatus: ToolStatusOf,
): Agent {
  const accessible = decideAccess(agent.definition, userId).allowed;
  return { ...toVersionedAgent(agent, toolStatus), modelStatus, accessible };
}

/** What every member may see of an agent. */
export function toListing({ id, definition }: AgentEntity, userId: string): AgentListing {
  const { name, description, accessScope } = definition;
  return { id, name, description, accessScope, accessible: decideAccess(definition, userId).allowed };
}

export function toVersion(
  agent: AgentEntity,
  { version, snapshot, createdAt }: AgentVersionEntity,
  author: UserSummary | undefined,
  toolStatus: ToolStatusOf,
): AgentVersion {
  const definition = definitionOf(snapshot);
  return {
    version,
    author: author ? { id: author.id, name: author.name } : null,
    createdAt: createdAt.toISOString(),
    agent: toVersionedAgent({ ...agent, definition, version, updatedAt: createdAt }, toolStatus),
  };
}

function toVersionedAgent(agent: AgentEntity, toolStatus: ToolStatusOf): AgentVersion['agent'] {
  const { id, spaceId, ownerUserId, definition, version, createdAt, updatedAt } = agent;
  return {
    id,
    spaceId,
    ownerUserId,
    ...definition,
    variables: mergeVariables(definition.systemPrompt, definition.variables),
    tools: definition.tools.map((tool) => ({ ...tool, status: toolStatus(tool) })),
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
