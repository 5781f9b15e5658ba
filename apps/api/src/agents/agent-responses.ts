import type {
  Agent,
  AgentListing,
  AgentTool,
  AgentVersion,
  AgentToolStatus,
  UserSummary,
} from '@platform/contracts';
import { missingTool } from '../tools/tool-status.ts';
import { decideAccess } from './agent-access.ts';
import { definitionOf } from './agent-definition.ts';
import type { AgentVersionEntity } from './agent-version.entity.ts';
import type { AgentEntity } from './agent.entity.ts';
import { mergeVariables } from './template.ts';

/** An agent for its owner and for admins. */
export function toAgent(agent: AgentEntity, userId: string, modelStatus: Agent['modelStatus']): Agent {
  const accessible = decideAccess(agent.definition, userId).allowed;
  return { ...toVersionedAgent(agent), modelStatus, accessible };
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
): AgentVersion {
  const definition = definitionOf(snapshot);
  return {
    version,
    author: author ? { id: author.id, name: author.name } : null,
    createdAt: createdAt.toISOString(),
    agent: toVersionedAgent({ ...agent, definition, version, updatedAt: createdAt }),
  };
}

function toVersionedAgent(agent: AgentEntity): AgentVersion['agent'] {
  const { id, spaceId, ownerUserId, definition, version, createdAt, updatedAt } = agent;
  return {
    id,
    spaceId,
    ownerUserId,
    ...definition,
    variables: mergeVariables(definition.systemPrompt, definition.variables),
    tools: definition.tools.map(withStatus),
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function withStatus(tool: AgentTool): AgentToolStatus {
  return { ...tool, status: missingTool(tool) === null ? 'ready' : 'unknown' };
}
