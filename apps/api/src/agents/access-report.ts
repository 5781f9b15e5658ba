import type { AgentAccess, AgentAccessUser, UserSummary } from '@platform/contracts';
import { decideAccess, type AccessPolicy } from './agent-access.ts';

const NO_MEMBER = 'This id belongs to no member of the space';

/**
 * Explains who may invoke an agent, and why: each member for SPACE, each listed member for RESTRICTED, or only the given
 * user. Ids that belong to no member are listed separately.
 */
export function explainAccess(
  agent: AccessPolicy & { id: string },
  members: readonly UserSummary[],
  userId?: string,
): AgentAccess {
  const byId = new Map(members.map((member) => [member.id, member]));
  const listed = agent.accessScope === 'SPACE' ? members.map(({ id }) => id) : agent.allowedUserIds;
  const explainedIds = userId === undefined ? listed.filter((id) => byId.has(id)) : [userId];
  const unknown = userId === undefined ? agent.allowedUserIds : [userId];
  return {
    agentId: agent.id,
    accessScope: agent.accessScope,
    users: explainedIds.map((id) => explainUser(agent, id, byId.get(id))),
    unknownUserIds: unknown.filter((id) => !byId.has(id)),
  };
}

function explainUser(agent: AccessPolicy, userId: string, member: UserSummary | undefined): AgentAccessUser {
  const decision = member ? decideAccess(agent, userId) : { allowed: false, reason: NO_MEMBER };
  return { userId, name: member?.name ?? null, email: member?.email ?? null, ...decision };
}
