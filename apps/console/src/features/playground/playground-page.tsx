import {
  ArrowLeftOutlined,
  ColumnWidthOutlined,
  ControlOutlined,
  HistoryOutlined,
  SettingOutlined,
} from '@ant-design/icons';
import type { Agent, AgentListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer, Segmented } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { useMedia } from '../../ui/browser/use-media.ts';
import { useDocumentTitle } from '../../ui/layout/page.tsx';
import { EmptyState, ErrorState, PageSpinner } from '../../ui/layout/states.tsx';
import { isFullAgent } from '../agents/agent.ts';
import { Conversation } from './conversation.tsx';
import type { RunOptions } from './request/call.ts';
import { readOpening } from './request/opening.ts';
import { createSessionId } from './request/session-id.ts';
import { SessionsList } from './sessions-list.tsx';
import { useRunOptions } from './request/use-run-options.ts';
import './playground.css';
import './turns/turns.css';

/** Wide enough for the conversations, the chat, and the panel side by side. */
const WIDE = '(min-width: 1200px)';
const OptionsPanel = lazy(() =>
  import('./request/options-panel.tsx').then((module) => ({ default: module.OptionsPanel })),
);

export function Component() {
  const { t } = useTranslation();
  const { agentId = '' } = useParams();
  const agent = useQuery({ queryKey: keys.agent(agentId), queryFn: () => client.agents.get(agentId) });
  useDocumentTitle(agent.data?.name ?? t('playground.title'));
  if (agent.isPending) return <PageSpinner />;
  if (agent.data === undefined) return <ErrorState error={agent.error} retry={() => void agent.refetch()} />;
  return <Playground key={agentId} agent={agent.data} />;
}

function Playground({ agent }: { agent: Agent | AgentListing }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation() as { state: unknown };
  const [draft, setDraft] = useState(createSessionId);
  const [sessionsOpen, setSessionsOpen] = useState(false);
  const [options, setOptions] = useRunOptions(agent.id);
  const panelOpen = search.get('panel') === 'open';
  const isWide = useMedia(WIDE);
  const view = search.get('view') === 'frames' ? 'frames' : 'chat';
  const named = search.get('session');
  const sessionId = named ?? draft;

  // After switching sessions, the service may already have the session of the draft.
  const [opened, setOpened] = useState(named);
  if (opened !== named) {
    setOpened(named);
    if (named !== null && named !== draft) setDraft(createSessionId());
  }

  const setParams = (change: (params: URLSearchParams) => void) =>
    setSearch(
      (before) => {
        change(before);
        return before;
      },
      { replace: true },
    );
  const startNew = () => {
    setDraft(createSessionId());
    setSessionsOpen(false);
    void navigate(paths.playground(agent.id));
  };
  const openPanel = (open: boolean) =>
    setParams((params) => (open ? params.set('panel', 'open') : params.delete('panel')));
  const chooseOptions = (next: RunOptions) => {
    // Executions and jobs take values that only the panel has fields for.
    if (next.kind !== options.kind && next.kind !== 'chat' && isWide) openPanel(true);
    setOptions(next);
  };
  const panel = (
    <Suspense fallback={<PageSpinner />}>
      <OptionsPanel agent={agent} options={options} onChange={chooseOptions} />
    </Suspense>
  );
  const sessions = <SessionsList agentId={agent.id} sessionId={sessionId} onNew={startNew} />;

  return (
    <div className={panelOpen && isWide ? 'playground with-panel' : 'playground'}>
      <div className="playground-side">{agent.accessible && sessions}</div>
      <Drawer
        open={sessionsOpen}
        onClose={() => setSessionsOpen(false)}
        title={t('sessions.title')}
        placement="left"
        size={300}
      >
        {sessions}
      </Drawer>
      <section className="playground-main">
        <header className="playground-head">
          <Link to={paths.agents} aria-label={t('agents.title')} className="muted">
            <ArrowLeftOutlined aria-hidden />
          </Link>
          <h1 className="truncate">{agent.name}</h1>
          {isFullAgent(agent) && <ModelBadge agent={agent} />}
          <span className="grow" />
          <Button
            className="sessions-button"
            icon={<HistoryOutlined aria-hidden />}
            aria-label={t('sessions.title')}
            onClick={() => setSessionsOpen(true)}
          />
          <Segmented
            aria-label={t('playground.view')}
            value={view}
            onChange={(next) =>
              setParams((params) => (next === 'chat' ? params.delete('view') : params.set('view', next)))
            }
            options={[
              { value: 'chat', label: t('playground.chat') },
              { value: 'frames', label: t('playground.frames') },
            ]}
          />
          {agent.accessible && (
            <>
              <Button
                icon={<ColumnWidthOutlined aria-hidden />}
                aria-label={t('compare.open')}
                title={t('compare.open')}
                onClick={() => void navigate(paths.compare(agent.id))}
              />
              <Button
                icon={<ControlOutlined aria-hidden />}
                aria-label={t('run.panel')}
                title={t('run.panel')}
                aria-expanded={panelOpen}
                onClick={() => openPanel(!panelOpen)}
              />
            </>
          )}
          {isFullAgent(agent) && (
            <Button
              className="configure-button"
              icon={<SettingOutlined aria-hidden />}
              aria-label={t('playground.configure')}
              title={t('playground.configure')}
              onClick={() => void navigate(paths.agent(agent.id))}
            />
          )}
        </header>
        {agent.accessible ? (
          <Conversation
            key={sessionId}
            agent={agent}
            sessionId={sessionId}
            stored={sessionId !== draft}
            opening={readOpening(state)}
            options={options}
            onOptions={chooseOptions}
            view={view}
            onView={(next) => setParams((params) => params.set('view', next))}
            onStarted={() => setParams((params) => params.set('session', sessionId))}
          />
        ) : (
          <EmptyState title={t('access.notYou')} text={t('access.notYouText')} />
        )}
      </section>
      {panelOpen && isWide && (
        <aside className="playground-panel" aria-label={t('run.panel')}>
          {panel}
        </aside>
      )}
      <Drawer open={panelOpen && !isWide} onClose={() => openPanel(false)} title={t('run.panel')} size={320}>
        {panel}
      </Drawer>
    </div>
  );
}

function ModelBadge({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const unknown = agent.modelStatus === 'unknown';
  return (
    <span
      className={`badge mono model-badge ${unknown ? 'warning' : 'plain'}`}
      title={unknown ? t('agents.modelUnknown') : undefined}
    >
      {agent.model}
    </span>
  );
}
