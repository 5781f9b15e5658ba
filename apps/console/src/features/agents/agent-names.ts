import type { Agent, AgentListing } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { namedSource } from '../../ui/names/named-source.ts';
import { useNames } from '../../ui/names/use-names.ts';

export interface AgentNameFilter {
  accessibleOnly: boolean;
  ownedOnly: boolean;
}

export const agentNames = namedSource<Agent | AgentListing, AgentNameFilter>(keys.agents, (query, filter) =>
  client.agents.list({ ...query, ...filter }),
);

/** Returns a function for the names of agents, also of deleted ones. Only the names that it is asked for are loaded. */
export function useAgentName(): (agent: { agentId: string }) => string {
  const { t } = useTranslation();
  const nameOf = useNames(agentNames);
  return ({ agentId }) => {
    const name = nameOf(agentId);
    return name === null ? t('jobs.deletedAgent') : (name ?? '…');
  };
}
