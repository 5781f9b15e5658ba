import type { AgentListing } from '@platform/contracts';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';

/** Asks for confirmation, deletes the agent, and then calls `done`. */
export function useDeleteAgent(done?: () => void): (agent: AgentListing) => void {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirm = useConfirmDelete();
  return (agent) =>
    confirm({
      title: t('agents.deleteTitle', { name: agent.name }),
      text: t('agents.deleteText'),
      run: async () => {
        await client.agents.delete(agent.id);
        done?.();
        queryClient.removeQueries({ queryKey: keys.agent(agent.id) });
        await queryClient.invalidateQueries({ queryKey: keys.agents });
        void message.success(t('agents.deleted', { name: agent.name }));
      },
    });
}
