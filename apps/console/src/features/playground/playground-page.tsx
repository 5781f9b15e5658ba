import type { Agent, AgentListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useParams } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { useMedia } from '../../ui/browser/use-media.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { useDocumentTitle } from '../../ui/layout/page.tsx';
import { EmptyState, Loaded, PageSpinner } from '../../ui/layout/states.tsx';
import { useUnsavedInput } from '../../ui/browser/unsaved-input.ts';
import { hasUnsaved, type Attached, type AttachedState } from './contents/attachments.ts';
import { Conversation } from './conversation.tsx';
import type { DraftPlace } from './use-conversation.ts';
import type { RunOptions } from './request/call.ts';
import { readOpening } from './request/opening.ts';
import { PlaygroundHead } from './playground-head.tsx';
import { SessionsList } from './sessions-list.tsx';
import { useRunOptions } from './request/use-run-options.ts';
import { useOpenSession, usePlaygroundParams } from './use-playground-params.ts';
import './playground.css';
import './turns/turns.css';

/** Wide enough for the conversations, the chat, and the panel side by side. */
const WIDE = '(min-width: 1200px)';
const OptionsPanel = lazyPart(() =>
  import('./request/options-panel.tsx').then((module) => ({ default: module.OptionsPanel })),
);

export function Component() {
  const { t } = useTranslation();
  const { agentId = '' } = useParams();
  const agent = useQuery({ queryKey: keys.agent(agentId), queryFn: () => client.agents.get(agentId) });
  useDocumentTitle(agent.data?.name ?? t('playground.title'));
  return <Loaded query={agent}>{(loaded) => <Playground key={agentId} agent={loaded} />}</Loaded>;
}

function Playground({ agent }: { agent: Agent | AgentListing }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [sessionsOpen, setSessionsOpen] = useState(false);
  const [options, setOptions] = useRunOptions(agent.id);
  const { view, setView, panelOpen, openPanel, openSession } = usePlaygroundParams();
  const { sessionId, isNamed, isDraft, startDraft } = useOpenSession();
  const opening = readOpening(useLocation().state);
  const draft = useDraftPlace(isNamed ? sessionId : `new.${opening.id ?? ''}`);
  const isWide = useMedia(WIDE);

  const startNew = () => {
    startDraft();
    setSessionsOpen(false);
    void navigate(paths.playground(agent.id));
  };
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
  const list = (
    <SessionsList agentId={agent.id} sessionId={sessionId} onNew={startNew} onDeleted={draft.drop} />
  );

  return (
    <div className={panelOpen && isWide ? 'playground with-panel' : 'playground'}>
      <div className="playground-side">{agent.accessible && list}</div>
      <Drawer
        open={sessionsOpen}
        onClose={() => setSessionsOpen(false)}
        title={t('sessions.title')}
        placement="left"
        size={300}
      >
        {list}
      </Drawer>
      <section className="playground-main">
        <PlaygroundHead
          agent={agent}
          view={view}
          onView={setView}
          onSessions={() => setSessionsOpen(true)}
          panelOpen={panelOpen}
          onPanel={openPanel}
        />
        {agent.accessible ? (
          <Conversation
            key={sessionId}
            agent={agent}
            sessionId={sessionId}
            stored={!isDraft}
            opening={opening}
            draft={draft}
            options={options}
            onOptions={chooseOptions}
            view={view}
            onView={setView}
            onStarted={() => {
              if (!isNamed) draft.moveFiles(sessionId);
              openSession(sessionId);
            }}
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

const NO_FILES: Attached[] = [];

/** Where the message to a conversation is kept: its files as long as the page is open, which asks before it is left. */
function useDraftPlace(name: string) {
  const [files, setFiles] = useState<Partial<Record<string, Attached[]>>>({});
  useUnsavedInput('page', () => Object.values(files).some((items = NO_FILES) => hasUnsaved(items)));
  const setItems: AttachedState[1] = (next) =>
    setFiles((before) => ({
      ...before,
      [name]: typeof next === 'function' ? next(before[name] ?? NO_FILES) : next,
    }));
  const moveFiles = (to: string) =>
    setFiles(({ [name]: moved = NO_FILES, ...others }) => ({ ...others, [to]: moved }));
  const drop = (of: string) => setFiles((before) => ({ ...before, [of]: NO_FILES }));
  const place: DraftPlace = { name, attached: [files[name] ?? NO_FILES, setItems] };
  return { ...place, moveFiles, drop };
}
