import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { useNames } from '../../ui/lists/use-names.ts';

/** Returns a function for the names of agents, also of deleted ones. Only the names that it is asked for are loaded. */
export function useAgentName(): (agent: { agentId: string }) => string {
  const { t } = useTranslation();
  const nameOf = useNames(
    keys.agents,
    async (ids) => (await client.agents.list({ ids })).items,
    t('jobs.deletedAgent'),
  );
  return ({ agentId }) => nameOf(agentId) ?? '…';
}
