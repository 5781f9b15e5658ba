import type { AgentAccess, AgentAccessUser, UserSummary } from '@platform/contracts';
import { decideAccess, type AccessPolicy } from './agent-access.ts';

const NO_MEMBER = 'This id belongs to no member of the space';

/**
 * Who may call an agent and why: each member under SPACE, each listed member under RESTRICTED, or the one user
 * that was asked for. Ids that belong to no member are told apart.
 */
export function explainAccess(
  agent: AccessPolicy & { id: string },
  members: readonly UserSummary[],
  userId?: string,
): AgentAccess {
  const byId = new Map(members.map((member) => [member.id, member]));
  const listed = agent.accessScope === 'SPACE' ? members.map(({ id }) => id) : agent.allowedUserIds;
  const asked = userId === undefined ? listed.filter((id) => byId.has(id)) : [userId];
  const unknown = userId === undefined ? agent.allowedUserIds : [userId];
  return {
    agentId: agent.id,
    accessScope: agent.accessScope,
    users: asked.map((id) => explained(agent, id, byId.get(id))),
    unknownUserIds: unknown.filter((id) => !byId.has(id)),
  };
}

function explained(agent: AccessPolicy, userId: string, member: UserSummary | undefined): AgentAccessUser {
  const decision = member ? decideAccess(agent, userId) : { allowed: false, reason: NO_MEMBER };
  return { userId, name: member?.name ?? null, email: member?.email ?? null, ...decision };
}
