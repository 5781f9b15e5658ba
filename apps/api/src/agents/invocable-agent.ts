import type { AgentDefinition, AgentEntity } from './agent.entity.ts';
import { mergeVariables } from './template.ts';

/** What a turn needs to know about an agent that its caller may invoke. */
export type InvocableAgent = Omit<AgentDefinition, 'description' | 'accessScope' | 'allowedUserIds'> &
  Pick<AgentEntity, 'id' | 'spaceId' | 'version'>;

export function toInvocableAgent({ id, spaceId, version, definition }: AgentEntity): InvocableAgent {
  const { description, accessScope, allowedUserIds, ...used } = definition;
  return { ...used, id, spaceId, version, variables: mergeVariables(used.systemPrompt, used.variables) };
}
