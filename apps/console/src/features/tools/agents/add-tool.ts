import type { Agent, AgentTool, Tool } from '@platform/contracts';
import { client } from '../../../api.ts';
import { isConflict } from '../../../ui/layout/errors.ts';
import { isFullAgent } from '../../agents/agent.ts';

/** How often an agent may be changed by others meanwhile. */
const MAX_ATTEMPTS = 3;

/** Returns how the agent has the tool; undefined if it does not. */
export function findTool({ tools }: Pick<Agent, 'tools'>, toolId: string): AgentTool | undefined {
  return tools.find((tool) => tool.toolId.toLowerCase() === toolId.toLowerCase());
}

/**
 * Adds a tool with all its methods to the agent as it is now, and keeps what others change meanwhile. `isAdded` is false if the
 * agent has the tool already. Returns null if the agent may no longer be edited.
 */
export async function addTool(
  agentId: string,
  { id: toolId }: Pick<Tool, 'id'>,
): Promise<{ agent: Agent; isAdded: boolean } | null> {
  for (let attempt = 1; ; attempt++) {
    const agent = await client.agents.get(agentId);
    if (!isFullAgent(agent)) return null;
    if (findTool(agent, toolId) !== undefined) return { agent, isAdded: false };
    try {
      const tools = [...agent.tools, { toolId, methods: null }];
      return { agent: await client.agents.update(agentId, { tools, version: agent.version }), isAdded: true };
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
