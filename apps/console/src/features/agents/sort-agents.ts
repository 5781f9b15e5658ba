import type { Agent, AgentListing } from '@platform/contracts';
import { isFullAgent } from './agent.ts';

/** Orders of the list other than that of the service. */
export const AGENT_ORDERS = ['name', 'changed'] as const;

export function sortAgents(
  agents: (Agent | AgentListing)[],
  order: (typeof AGENT_ORDERS)[number] | undefined,
): (Agent | AgentListing)[] {
  if (order === undefined) return agents;
  // Whoever may not see when an agent was changed finds it at the end.
  const changedAt = (agent: Agent | AgentListing) => (isFullAgent(agent) ? Date.parse(agent.updatedAt) : 0);
  return agents.toSorted((a, b) =>
    order === 'name' ? a.name.localeCompare(b.name) : changedAt(b) - changedAt(a),
  );
}
