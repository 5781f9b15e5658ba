import type { Agent, AgentListing } from '@platform/contracts';
import { isFullAgent } from '../../agents/agent.ts';

/** Returns the model that a URL names for a column. Only those who may edit its agent can choose one. */
export function getChosenModel(agent: Agent | AgentListing, named: string | null): string | undefined {
  return isFullAgent(agent) && named !== agent.model ? named?.trim() || undefined : undefined;
}

/** Returns the models to choose from. A model that the space does not have is shown as well if it is chosen. */
export function listChoices(names: readonly string[], agent: Agent, chosen: string | undefined): string[] {
  const others = names.filter((name) => name !== agent.model);
  return chosen === undefined || others.includes(chosen) ? others : [chosen, ...others];
}
