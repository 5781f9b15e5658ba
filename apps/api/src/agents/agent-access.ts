import type { AccessScope } from '@platform/contracts';

/** The part of an agent that decides who may invoke it. */
export interface AccessPolicy {
  accessScope: AccessScope;
  allowedUserIds: readonly string[];
}

export interface AccessDecision {
  allowed: boolean;
  /** One plain sentence: the rule that decided. */
  reason: string;
}

/** Whether a member of the agent's space may invoke it. Nobody stands above the list: neither creator nor admin. */
export function decideAccess(agent: AccessPolicy, userId: string): AccessDecision {
  switch (agent.accessScope) {
    case 'SPACE':
      return { allowed: true, reason: 'Every member of the space may call this agent' };
    case 'RESTRICTED':
      return agent.allowedUserIds.includes(userId)
        ? { allowed: true, reason: 'The agent is restricted and lists this user' }
        : { allowed: false, reason: 'The agent is restricted and does not list this user' };
  }
}

/** The same rule as SQL, over an agent row and the placeholder that holds the user's id as text. */
export function accessibleSql(agent: string, userId: `$${number}`): string {
  return `(${agent}.access_scope = 'SPACE' or ${userId}::text = any(${agent}.allowed_user_ids))`;
}
