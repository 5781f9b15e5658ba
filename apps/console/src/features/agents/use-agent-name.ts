import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { allAgentsQuery } from './agents-query.ts';

/** Returns a function for the names of agents, also of deleted ones. They are loaded if they are needed. */
export function useAgentName(isNeeded = true): (agent: { agentId: string }) => string {
  const { t } = useTranslation();
  const agents = useQuery({ ...allAgentsQuery, enabled: isNeeded });
  return ({ agentId }) =>
    agents.isPending ? '…' : (agents.data?.find(({ id }) => id === agentId)?.name ?? t('jobs.deletedAgent'));
}
