import { OFFLINE_MODEL, type Agent, type AgentListing, type ContentItem } from '@platform/contracts';
import { Button } from 'antd';
import type { TFunction } from 'i18next';
import { useState, type DragEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { EmptyState, ErrorState, PageSpinner } from '../../ui/layout/states.tsx';
import { askedText } from '../approvals/need.ts';
import { isFullAgent } from '../agents/agent.ts';
import { Composer } from './composer.tsx';
import { ContextBar } from './context-bar.tsx';
import { FramesPanel } from './frames/frames-panel.tsx';
import { toCall, withKind, type RunOptions } from './request/call.ts';
import { KindSelect } from './request/kind-select.tsx';
import type { Opening } from './request/opening.ts';
import { TurnCard } from './turns/turn-card.tsx';
import type { TurnView } from './turns/turn-list.ts';
import { useDraft, useSendRules, useSessionTurns, useStop, type DraftPlace } from './use-conversation.ts';
import { useStickToEnd } from './use-stick-to-end.ts';
import { Welcome } from './welcome.tsx';

interface ConversationProps {
  agent: Agent | AgentListing;
  sessionId: string;
  /** Whether the service has the session. A new one has no history yet. */
  stored: boolean;
  /** The message that the input begins with. */
  opening: Opening;
  draft: DraftPlace;
  /** What messages are sent with. */
  options: RunOptions;
  onOptions: (options: RunOptions) => void;
  view: 'chat' | 'frames';
  onView: (view: 'chat' | 'frames') => void;
  /** Called when the first message is sent. */
  onStarted: () => void;
}

/** A session: its history, the turns of this page, and the input for the next message. */
export function Conversation(props: ConversationProps) {
  const { agent, sessionId, stored, options, onOptions, view, onView, onStarted } = props;
  const { t } = useTranslation();
  const agentId = agent.id;
  const [framesOf, setFramesOf] = useState<string | null>(null);
  const session = useSessionTurns(agentId, sessionId, stored, onStarted);
  const { chat, turns, last, waits } = session;
  const send = (contents: ContentItem[]) =>
    chat.send(toCall(agentId, sessionId, contents, options), contents);
  const { input, keep, attachments, again } = useDraft({ ...props, agentId, send });
  const rules = useSendRules(
    agent,
    options,
    attachments.items.map(({ content }) => content),
  );
  const stop = useStop(chat);
  const { dragging, handlers } = useDrop((files) => void attachments.add(files));
  const showFrames = (turnId: string) => {
    setFramesOf(turnId);
    onView('frames');
  };

  return (
    <div className="conversation" {...handlers}>
      <Transcript turns={turns} history={session.history} isHidden={view !== 'chat'}>
        {turns.length === 0 && <NoTurns agent={agent} history={session.history} onSend={send} />}
        {turns.map((turn) => (
          <TurnCard
            key={turn.turnId}
            agentId={agentId}
            sessionId={sessionId}
            turn={turn}
            answerable={waits && turn === last}
            onAnswer={session.answer}
            onRetry={chat.retry}
            onFrames={showFrames}
            onAgain={chat.running === undefined && turn === last ? again : null}
          />
        ))}
      </Transcript>
      {view === 'frames' && (
        <div className="conversation-scroll">
          <FramesPanel agentId={agentId} turns={turns} turnId={framesOf} onTurn={setFramesOf} />
        </div>
      )}
      <span className="visually-hidden" role="status">
        {announcementOf(session, t)}
      </span>
      <Composer
        key={input.n}
        draft={input.text}
        onText={keep}
        attachments={attachments}
        busy={chat.running !== undefined}
        stopping={stop.pending}
        {...rules}
        onSend={send}
        onStop={stop.run}
      >
        <KindSelect kind={options.kind} onChange={(kind) => onOptions(withKind(options, kind))} />
      </Composer>
      <ContextBar
        agentId={agentId}
        sessionId={sessionId}
        reported={chat.live.findLast(({ context }) => context !== null)?.context ?? null}
        known={stored ? turns.length > 0 : chat.live.some(({ state }) => state === 'ended')}
        busy={chat.running !== undefined || waits}
      />
      {dragging && <div className="drop-here">{t('playground.drop')}</div>}
    </div>
  );
}

interface NoTurnsProps {
  agent: Agent | AgentListing;
  history: History;
  onSend: (contents: ContentItem[]) => void;
}

/** A conversation that is being loaded, that does not exist, or that begins. */
function NoTurns({ agent, history, onSend }: NoTurnsProps) {
  const { t } = useTranslation();
  if (history.isPending) return <PageSpinner />;
  if (history.error !== null) return null;
  if (history.isMissing)
    return (
      <EmptyState title={t('sessions.missing')} text={t('sessions.missingText')}>
        <Link to={paths.playground(agent.id)}>{t('sessions.new')}</Link>
      </EmptyState>
    );
  const isOffline = isFullAgent(agent) && agent.model === OFFLINE_MODEL;
  return <Welcome agentName={agent.name} isOffline={isOffline} onSend={onSend} />;
}

/** What is read out: that the agent works, and how the turn of this page has ended. */
function announcementOf({ chat, last }: ReturnType<typeof useSessionTurns>, t: TFunction): string {
  if (chat.running !== undefined) return t('playground.thinking');
  if (last === undefined || !chat.live.some(({ turnId }) => turnId === last.turnId)) return '';
  const { status, interaction } = last;
  if (status === 'INPUT_REQUIRED' && interaction !== null)
    return t('playground.asks', { question: askedText(interaction) });
  if (status === 'FAILED') return t('playground.hasFailed');
  return status === 'CANCELLED' ? t('playground.canceled') : t('playground.hasAnswered');
}

type History = ReturnType<typeof useSessionTurns>['history'];

interface TranscriptProps {
  turns: TurnView[];
  history: History;
  isHidden: boolean;
  children: ReactNode;
}

/** The turns, which stay at their end while they grow, below a button for older ones. */
function Transcript({ turns, history, isHidden, children }: TranscriptProps) {
  const { scroller, onScroll } = useStickToEnd(turns);
  const { error, retry } = history;
  return (
    <div className="conversation-scroll" ref={scroller} onScroll={onScroll} hidden={isHidden}>
      <div className="conversation-inner" aria-live="off">
        <Older history={history} />
        {error !== null && <ErrorState error={error} retry={retry} />}
        {children}
      </div>
    </div>
  );
}

function Older({ history: { hasOlder, isLoadingOlder, olderError, loadOlder } }: { history: History }) {
  const { t } = useTranslation();
  if (!hasOlder) return null;
  return (
    <>
      {olderError !== null && (
        <p role="alert" className="danger-text">
          {getErrorMessage(olderError, t)}
        </p>
      )}
      <Button type="text" block onClick={loadOlder} loading={isLoadingOlder}>
        {t(olderError === null ? 'playground.older' : 'common.tryAgain')}
      </Button>
    </>
  );
}

function useDrop(onFiles: (files: File[]) => void) {
  const [dragging, setDragging] = useState(false);
  const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    dragging,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setDragging(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDragging(false);
      },
      onDrop: (event: DragEvent) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        setDragging(false);
        onFiles([...event.dataTransfer.files]);
      },
    },
  };
}
