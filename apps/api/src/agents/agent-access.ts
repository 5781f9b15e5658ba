import type { AccessScope } from '@platform/contracts';

/** The fields of an agent that decide who may invoke it. */
export interface AccessPolicy {
  accessScope: AccessScope;
  allowedUserIds: readonly string[];
}

export interface AccessDecision {
  allowed: boolean;
  /** The rule that decided, as a sentence. */
  reason: string;
}

/** Decides whether a member of the agent's space may invoke it. The list also applies to its owner and to admins. */
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
