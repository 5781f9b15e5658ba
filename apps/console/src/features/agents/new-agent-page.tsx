import type { CreateAgentRequest } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Page } from '../../ui/layout/page.tsx';
import { PageSpinner } from '../../ui/layout/states.tsx';
import { AgentFormCards } from './form/agent-form.tsx';
import { createAgentForm, toAgentRequest } from './form/agent-request.ts';
import './agents.css';
import { chatModelsQuery } from '../models/models-query.ts';

export function Component() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const models = useQuery(chatModelsQuery);

  const create = useMutation({
    mutationFn: (agent: CreateAgentRequest) => client.agents.create(agent),
    onSuccess: async (agent) => {
      void message.success(t('agents.created', { name: agent.name }));
      queryClient.setQueryData(keys.agent(agent.id), agent);
      void queryClient.invalidateQueries({ queryKey: keys.agents, refetchType: 'none' });
      await navigate(agent.accessible ? paths.playground(agent.id) : paths.agent(agent.id));
    },
  });

  // The first model is preselected, so the page waits until the list is loaded or has failed.
  if (models.isPending) return <PageSpinner />;

  return (
    <Page
      title={t('agents.newTitle')}
      description={t('agents.newText')}
      parent={{ to: paths.agents, label: t('agents.title') }}
    >
      <AgentFormCards
        initial={createAgentForm(models.data?.[0]?.name ?? '')}
        submitLabel={t('agents.create')}
        saved={create.isSuccess}
        onSubmit={(values) => create.mutateAsync(toAgentRequest(values))}
        onCancel={() => void navigate(paths.agents)}
      />
    </Page>
  );
}
