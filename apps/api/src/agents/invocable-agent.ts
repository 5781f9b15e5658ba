import type { UserPrincipal } from '../auth/principals/principal.ts';
import type { AgentDefinition, AgentEntity } from './agent.entity.ts';
import { mergeVariables } from './template.ts';

/** What a turn needs to know about an agent that its caller may invoke. */
export type InvocableAgent = Omit<AgentDefinition, 'description' | 'accessScope' | 'allowedUserIds'> &
  Pick<AgentEntity, 'id' | 'spaceId' | 'ownerUserId' | 'version'>;

export function toInvocableAgent({
  id,
  spaceId,
  ownerUserId,
  version,
  definition,
}: AgentEntity): InvocableAgent {
  const { description, accessScope, allowedUserIds, ...used } = definition;
  const variables = mergeVariables(used.systemPrompt, used.variables);
  return { ...used, id, spaceId, ownerUserId, version, variables };
}

/** Whether the caller manages the agent: its owner and admins do. */
export function mayManage(
  caller: Pick<UserPrincipal, 'userId' | 'role'>,
  agent: Pick<AgentEntity, 'ownerUserId'>,
): boolean {
  return caller.role === 'ADMIN' || caller.userId === agent.ownerUserId;
}
