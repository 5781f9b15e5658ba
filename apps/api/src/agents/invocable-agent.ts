import type { AgentDefinition, AgentEntity } from './agent.entity.ts';
import { mergeVariables } from './template.ts';

/** What a turn needs to know about an agent that its caller may invoke. */
export type InvocableAgent = Omit<AgentDefinition, 'description' | 'accessScope' | 'allowedUserIds'> &
  Pick<AgentEntity, 'id' | 'spaceId' | 'ownerUserId' | 'version'>;

export function toInvocableAgent({ id, spaceId, ownerUserId, version, definition }: AgentEntity): InvocableAgent {
  const { description, accessScope, allowedUserIds, ...used } = definition;
  const variables = mergeVariables(used.systemPrompt, used.variables);
  return { ...used, id, spaceId, ownerUserId, version, variables };
}
