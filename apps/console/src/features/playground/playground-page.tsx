import { ArrowLeftOutlined, HistoryOutlined, SettingOutlined } from '@ant-design/icons';
import { OFFLINE_MODEL, type Agent, type AgentListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer, Segmented } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { useDocumentTitle } from '../../ui/page.tsx';
import { EmptyState, ErrorState, PageSpinner } from '../../ui/states.tsx';
import { isFullAgent } from '../agents/agent.ts';
import { Conversation } from './conversation.tsx';
import { SessionsList } from './sessions-list.tsx';
import './playground.css';
import './turns.css';

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
  const sessions = <SessionsList agentId={agent.id} sessionId={sessionId} onNew={startNew} />;

  return (
    <div className="playground">
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
          {isFullAgent(agent) && (
            <Button
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
            agentId={agent.id}
            agentName={agent.name}
            isOffline={isFullAgent(agent) && agent.model === OFFLINE_MODEL}
            sessionId={sessionId}
            stored={sessionId !== draft}
            draft={readDraft(state)}
            view={view}
            onView={(next) => setParams((params) => params.set('view', next))}
            onStarted={() => setParams((params) => params.set('session', sessionId))}
          />
        ) : (
          <EmptyState title={t('access.notYou')} text={t('access.notYouText')} />
        )}
      </section>
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

/** Returns the message that the page was opened with, such as that of a trace. */
function readDraft(state: unknown): string {
  const { draft } = (state ?? {}) as { draft?: unknown };
  return typeof draft === 'string' ? draft : '';
}

/** Returns a new session id. The session is created with its first message. Works without HTTPS, unlike randomUUID. */
function createSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `play-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
