import type { Agent, AgentListing } from '@platform/contracts';

/** Whether the agent has all fields. Only owners and admins receive them. */
export function isFullAgent(agent: Agent | AgentListing): agent is Agent {
  return 'systemPrompt' in agent;
}
