import { DeleteOutlined, HistoryOutlined, MessageOutlined } from '@ant-design/icons';
import type { Agent, AgentListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { forgetInput } from '../../ui/browser/unsaved-input.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { FormOf } from '../../ui/forms/form-of.tsx';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { isConflict, getErrorMessage } from '../../ui/layout/errors.ts';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { AccessPanel } from './access-panel.tsx';
import { AgentFormCards } from './form/agent-form.tsx';
import { isFullAgent } from './agent.ts';
import { toAgentForm, toAgentRequest } from './form/agent-request.ts';
import type { AgentForm } from './form/agent-values.ts';
import { useDeleteAgent } from './use-delete-agent.tsx';
import './agents.css';

const VersionsDrawer = lazyPart(() =>
  import('./versions/versions-drawer.tsx').then((module) => ({ default: module.VersionsDrawer })),
);

export function Component() {
  const { agentId = '' } = useParams();
  const agent = useQuery({ queryKey: keys.agent(agentId), queryFn: () => client.agents.get(agentId) });
  return (
    <FormOf query={agent} id={agentId}>
      {(stored) => (isFullAgent(stored) ? <EditAgent agent={stored} /> : <ForeignAgent agent={stored} />)}
    </FormOf>
  );
}

function EditAgent({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const { message, modal } = App.useApp();
  const navigate = useNavigate();
  const [drawer, openDrawer, closeDrawer] = useDrawerParam('show');
  // The form is reset only if the stored agent differs from the one it was opened with.
  const [opened, setOpened] = useState(agent);
  /** The version that the form was drawn with. What is entered while it is saved stays in it. */
  const [drawn, setDrawn] = useState(agent.version);
  const confirmDelete = useDeleteAgent(() => {
    forgetInput();
    void navigate(paths.agents);
  });

  const keep = (stored: Agent, isLatest = true) => {
    queryClient.setQueryData(keys.agent(agent.id), stored);
    setOpened(stored);
    if (isLatest) setDrawn(stored.version);
    void queryClient.invalidateQueries({ queryKey: keys.agents });
  };

  const save = async (values: AgentForm, isLatest: () => boolean) => {
    try {
      const stored = await client.agents.update(agent.id, {
        ...toAgentRequest(values, opened.tools),
        version: opened.version,
      });
      keep(stored, isLatest());
      void message.success(t('agents.saved'));
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
      modal.confirm({
        title: t('agents.staleTitle'),
        content: getErrorMessage(error, t),
        okText: t('agents.staleReload'),
        cancelText: t('common.cancel'),
        onOk: async () => keep(await fetchWhole(agent.id)),
      });
      return false;
    }
  };

  return (
    <Page
      title={agent.name}
      description={t('agents.versionLine', { version: opened.version })}
      parent={{ to: paths.agents, label: t('agents.title') }}
      actions={
        <AgentActions
          agent={agent}
          onVersions={() => openDrawer('versions')}
          onDelete={() => confirmDelete(agent)}
        />
      }
    >
      <AgentFormCards
        key={drawn}
        initial={toAgentForm(opened)}
        submitLabel={t('common.save')}
        onSubmit={save}
        onCancel={() => void navigate(paths.agents)}
        aside={<AccessPanel agentId={agent.id} version={opened.version} />}
      />
      {drawer === 'versions' && (
        <Suspense>
          <VersionsDrawer agent={opened} onClose={closeDrawer} onRestored={keep} />
        </Suspense>
      )}
    </Page>
  );
}

interface AgentActionsProps {
  agent: Agent;
  onVersions: () => void;
  onDelete: () => void;
}

function AgentActions({ agent, onVersions, onDelete }: AgentActionsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <>
      <Button icon={<HistoryOutlined aria-hidden />} onClick={onVersions}>
        {t('versions.title')}
      </Button>
      <Button icon={<DeleteOutlined aria-hidden />} aria-label={t('common.delete')} onClick={onDelete} />
      {agent.accessible && (
        <Button
          type="primary"
          icon={<MessageOutlined aria-hidden />}
          onClick={() => void navigate(paths.playground(agent.id))}
        >
          {t('playground.title')}
        </Button>
      )}
    </>
  );
}

async function fetchWhole(agentId: string): Promise<Agent> {
  const agent = await client.agents.get(agentId);
  if (!isFullAgent(agent)) throw new Error('The agent may no longer be edited');
  return agent;
}

/** An agent of another user: the fields that every member can see. */
function ForeignAgent({ agent }: { agent: AgentListing }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Page
      title={agent.name}
      description={agent.description}
      parent={{ to: paths.agents, label: t('agents.title') }}
    >
      <div className="list">
        <EmptyState
          title={t('agents.foreign')}
          text={t(agent.accessible ? 'agents.foreignCallable' : 'access.notYouText')}
        >
          {agent.accessible && (
            <Button type="primary" onClick={() => void navigate(paths.playground(agent.id))}>
              {t('playground.title')}
            </Button>
          )}
        </EmptyState>
      </div>
    </Page>
  );
}
