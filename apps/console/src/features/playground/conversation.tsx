import {
  OFFLINE_MODEL,
  type Agent,
  type AgentListing,
  type ContentItem,
  type Interaction,
  type Message,
} from '@platform/contracts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useEffect, useState, type DragEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { isNotFound, getErrorMessage } from '../../ui/layout/errors.ts';
import { ErrorState } from '../../ui/layout/states.tsx';
import { isFullAgent } from '../agents/agent.ts';
import { useAttachments } from './contents/attachments.ts';
import {
  fitInputs,
  hasInputs,
  listMissing,
  listPromptVariables,
  toCall,
  withKind,
  type RunOptions,
} from './request/call.ts';
import { Composer } from './composer.tsx';
import { ContextBar } from './context-bar.tsx';
import { FramesPanel } from './frames/frames-panel.tsx';
import { TurnCard } from './turns/turn-card.tsx';
import { KindSelect } from './request/kind-select.tsx';
import type { Opening } from './request/opening.ts';
import { loadContents } from './contents/stored-contents.ts';
import { getText, listTurns, type TurnView } from './turns/turn-list.ts';
import { Welcome } from './welcome.tsx';
import { useStickToEnd } from './use-stick-to-end.ts';
import { useChat, type Chat } from './turns/use-chat.ts';

interface ConversationProps {
  agent: Agent | AgentListing;
  sessionId: string;
  /** Whether the service has the session. A new one has no history yet. */
  stored: boolean;
  /** The message that the input begins with. */
  opening: Opening;
  /** What messages are sent with. */
  options: RunOptions;
  onOptions: (options: RunOptions) => void;
  view: 'chat' | 'frames';
  onView: (view: 'chat' | 'frames') => void;
  /** Called when the first message is sent. */
  onStarted: () => void;
}

/** A session: its history, the turns of this page, and the input for the next message. */
export function Conversation({
  agent,
  sessionId,
  stored,
  opening,
  options,
  onOptions,
  view,
  onView,
  onStarted,
}: ConversationProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const agentId = agent.id;
  const chat = useChat(agentId, sessionId, onStarted);
  const attachments = useAttachments();
  const [framesOf, setFramesOf] = useState<string | null>(null);
  const { messages, error, hasOlder, loadOlder, retry } = useHistory(agentId, sessionId, stored);
  useRunningTurn(agentId, sessionId, stored, { chat, messages });

  const { pending, refreshPending } = usePending(agentId, sessionId, stored);
  const stop = useStop(chat);
  // A new number replaces the input by one with another text.
  const [input, setInput] = useState({ text: opening.draft, n: 0 });
  const send = (contents: ContentItem[]) =>
    chat.send(toCall(agentId, sessionId, contents, options), contents);
  const withContents = (from: string, stored: Parameters<typeof loadContents>[2], use: typeof send) =>
    void loadContents(agentId, from, stored).then(use, (error: unknown) =>
      message.error(getErrorMessage(error, t)),
    );
  const again = {
    send: (turn: TurnView) => withContents(sessionId, turn.user, send),
    edit: (turn: TurnView) =>
      withContents(sessionId, turn.user, (contents) => {
        attachments.replace(contents);
        setInput(({ n }) => ({ text: getText(contents), n: n + 1 }));
      }),
  };
  useEffect(() => {
    if (opening.attachments.length > 0) withContents(opening.from, opening.attachments, attachments.replace);
    // Only what the page was opened with.
  }, []);

  const variables = listPromptVariables(agent) ?? [];
  const missing = hasInputs(options) ? listMissing(variables, options.variables) : [];
  const hasFiles = !fitInputs(attachments.items.map(({ content }) => content));
  const blocked =
    missing.length > 0
      ? t('run.missing', { names: missing.join(', ') })
      : hasInputs(options) && hasFiles
        ? t('run.noFiles')
        : null;

  const turns = listTurns(messages, chat.live, pending);
  const last = turns.at(-1);
  const waits = last?.status === 'INPUT_REQUIRED' && last.interaction !== null;
  const { scroller, onScroll } = useStickToEnd(turns);
  const { dragging, handlers } = useDrop((files) => void attachments.add(files));

  const showFrames = (turnId: string) => {
    setFramesOf(turnId);
    onView('frames');
  };

  const answer: Chat['resume'] = async (...given) => {
    try {
      await chat.resume(...given);
    } finally {
      refreshPending();
    }
  };

  return (
    <div className="conversation" {...handlers}>
      <div className="conversation-scroll" ref={scroller} onScroll={onScroll} hidden={view !== 'chat'}>
        <div className="conversation-inner" aria-live="off">
          {hasOlder && (
            <Button type="text" block onClick={loadOlder}>
              {t('playground.older')}
            </Button>
          )}
          {error !== null && <ErrorState error={error} retry={retry} />}
          {turns.length === 0 && error === null && (
            <Welcome
              agentName={agent.name}
              isOffline={isFullAgent(agent) && agent.model === OFFLINE_MODEL}
              onSend={send}
            />
          )}
          {turns.map((turn) => (
            <TurnCard
              key={turn.turnId}
              agentId={agentId}
              sessionId={sessionId}
              turn={turn}
              answerable={waits && turn === last}
              onAnswer={answer}
              onRetry={chat.retry}
              onFrames={showFrames}
              onAgain={chat.running === undefined && turn === last ? again : null}
            />
          ))}
        </div>
      </div>
      {view === 'frames' && (
        <div className="conversation-scroll">
          <FramesPanel agentId={agentId} turns={turns} turnId={framesOf} onTurn={setFramesOf} />
        </div>
      )}
      <span className="visually-hidden" role="status">
        {chat.running ? t('playground.thinking') : ''}
      </span>
      <Composer
        key={input.n}
        draft={input.text}
        attachments={attachments}
        busy={chat.running !== undefined}
        stopping={stop.pending}
        blocked={blocked}
        canBeEmpty={hasInputs(options) && variables.length > 0}
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

function useHistory(agentId: string, sessionId: string, stored: boolean) {
  const history = useInfiniteQuery({
    queryKey: keys.messages(agentId, sessionId),
    queryFn: ({ pageParam }) =>
      client.agents.messages(agentId, sessionId, {
        limit: 50,
        ...(pageParam !== null && { cursor: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    enabled: stored,
  });
  return {
    messages: history.data?.pages.flatMap((page): Message[] => page.items) ?? [],
    error: history.data === undefined && !isNotFound(history.error) ? history.error : null,
    hasOlder: history.hasNextPage,
    loadOlder: () => void history.fetchNextPage(),
    retry: () => void history.refetch(),
  };
}

/** Loads questions that were asked before the page was opened. */
function usePending(agentId: string, sessionId: string, stored: boolean) {
  const queryKey = keys.pendingInteractions(agentId, sessionId);
  const query = useQuery({
    queryKey,
    queryFn: () => client.agents.pendingInteractions(agentId, sessionId),
    enabled: stored,
  });
  const none: Interaction[] = [];
  return {
    pending: query.data ?? none,
    refreshPending: () => void queryClient.invalidateQueries({ queryKey }),
  };
}

/** Requests cancellation of the running turn, which may take a moment. */
function useStop({ running, stop }: Chat) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [stopped, setStopped] = useState<string | null>(null);
  const run = () => {
    setStopped(running?.turnId ?? null);
    stop().catch((error: unknown) => {
      setStopped(null);
      void message.error(getErrorMessage(error, t));
    });
  };
  return { run, pending: running !== undefined && running.turnId === stopped };
}

/**
 * Attaches to a turn that was already running when the page was opened. It may have ended between the responses: the history
 * then lacks the answer of a turn that the session no longer names.
 */
function useRunningTurn(
  agentId: string,
  sessionId: string,
  stored: boolean,
  { chat, messages }: { chat: Chat; messages: readonly Message[] },
): void {
  const session = useQuery({
    queryKey: keys.chatSession(agentId, sessionId),
    queryFn: () => client.agents.session(agentId, sessionId),
    enabled: stored,
  });
  const unfinished = messages.find(({ turnStatus }) => turnStatus === 'RUNNING')?.turnId;
  const running = session.data?.runningTurnId ?? unfinished ?? null;
  const { live, attach } = chat;
  useEffect(() => {
    if (running !== null && !live.some(({ turnId }) => turnId === running)) attach(running);
  }, [running, live, attach]);
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
