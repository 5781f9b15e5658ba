import type { Agent, AgentListing, AgentTool, AgentToolStatus } from '@platform/contracts';
import { missingTool } from '../tools/tool-status.ts';
import { decideAccess } from './agent-access.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { mergeVariables } from './template.ts';

/** An agent as it is stored. */
export interface AgentRow extends AgentDefinition {
  id: string;
  spaceId: string;
  ownerUserId: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** What makes an `AgentRow` of a row of `agent` called `a`. */
export const AGENT_COLUMNS = `
  a.id, a.space_id as "spaceId", a.owner_user_id as "ownerUserId", a.name, a.description, a.model,
  a.system_prompt as "systemPrompt", a.access_scope as "accessScope", a.allowed_user_ids as "allowedUserIds",
  a.variables, a.tools, a.local_tools as "localTools", a.knowledge, a.settings, a.ask_user as "askUser",
  a.version, a.created_at as "createdAt", a.updated_at as "updatedAt"`;

/** Everything that a turn needs to know of an agent; its caller has access. */
export type InvocableAgent = Pick<
  AgentRow,
  | 'id'
  | 'spaceId'
  | 'name'
  | 'model'
  | 'systemPrompt'
  | 'variables'
  | 'settings'
  | 'askUser'
  | 'tools'
  | 'localTools'
  | 'knowledge'
  | 'version'
>;

export function toInvocable(row: AgentRow): InvocableAgent {
  const { id, spaceId, name, model, systemPrompt, settings, askUser, tools, localTools, knowledge, version } =
    row;
  const variables = mergeVariables(systemPrompt, row.variables);
  return {
    id,
    spaceId,
    name,
    model,
    systemPrompt,
    variables,
    settings,
    askUser,
    tools,
    localTools,
    knowledge,
    version,
  };
}

/** The agent as its maker sees it, without what depends on the caller and the catalog. */
export function toVersionedAgent(row: AgentRow): Omit<Agent, 'accessible' | 'modelStatus'> {
  return {
    id: row.id,
    spaceId: row.spaceId,
    ownerUserId: row.ownerUserId,
    name: row.name,
    description: row.description,
    model: row.model,
    systemPrompt: row.systemPrompt,
    accessScope: row.accessScope,
    allowedUserIds: row.allowedUserIds,
    variables: mergeVariables(row.systemPrompt, row.variables),
    tools: row.tools.map(withStatus),
    localTools: row.localTools,
    knowledge: row.knowledge,
    settings: row.settings,
    askUser: row.askUser,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function withStatus(tool: AgentTool): AgentToolStatus {
  return { ...tool, status: missingTool(tool) === null ? 'ready' : 'unknown' };
}

/** All that a member may see of somebody else's agent. */
export function toListing(row: AgentRow, userId: string): AgentListing {
  const { id, name, description, accessScope } = row;
  return { id, name, description, accessScope, accessible: decideAccess(row, userId).allowed };
}

/** The part of an agent that a version keeps. */
export function definitionOf(row: AgentDefinition): AgentDefinition {
  return {
    name: row.name,
    description: row.description,
    model: row.model,
    systemPrompt: row.systemPrompt,
    accessScope: row.accessScope,
    allowedUserIds: row.allowedUserIds,
    variables: row.variables,
    tools: row.tools,
    localTools: row.localTools,
    knowledge: row.knowledge,
    settings: row.settings,
    askUser: row.askUser,
  };
}
