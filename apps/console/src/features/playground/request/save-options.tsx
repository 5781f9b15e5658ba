import type { Agent } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import type { RunOptions } from './call.ts';

interface SaveOptionsProps {
  agent: Agent;
  options: RunOptions;
  /** Called with the options that are left to be different from the agent's. */
  onSaved: (options: RunOptions) => void;
}

/** Makes the chosen model and parameters those of the agent. */
export function SaveOptions({ agent, options, onSaved }: SaveOptionsProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { model, parameters, ...others } = options;
  const save = useMutation({
    mutationFn: () =>
      client.agents.update(agent.id, {
        version: agent.version,
        settings: { ...agent.settings, ...parameters },
        ...(model !== undefined && { model }),
      }),
    onSuccess: (saved) => {
      queryClient.setQueryData(keys.agent(agent.id), saved);
      void queryClient.invalidateQueries({ queryKey: keys.agents, refetchType: 'none' });
      onSaved({ ...others, parameters: {} });
      void message.success(t('run.saved', { version: saved.version }));
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  return (
    <Button
      size="small"
      type="primary"
      disabled={model === undefined && Object.keys(parameters).length === 0}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {t('run.save')}
    </Button>
  );
}
