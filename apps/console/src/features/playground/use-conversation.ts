import type { Agent, AgentListing, ContentItem, Interaction, Message } from '@platform/contracts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { App } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { getErrorMessage, isNotFound } from '../../ui/layout/errors.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useAttachments, type AttachedState } from './contents/attachments.ts';
import type { Part } from './contents/part-kind.ts';
import { loadContents } from './contents/stored-contents.ts';
import type { Opening } from './request/opening.ts';
import { fitInputs, hasInputs, listMissing, listPromptVariables, type RunOptions } from './request/call.ts';
import { getText, listTurns, type TurnView } from './turns/turn-list.ts';
import { useChat, type Chat } from './turns/use-chat.ts';
import { useKeptText } from './use-kept-text.ts';

/** The turns of a session: its history, and those of this page. `stored`: whether the service has the session. */
export function useSessionTurns(agentId: string, sessionId: string, stored: boolean, onStarted: () => void) {
  const chat = useChat(agentId, sessionId, onStarted);
  const history = useHistory(agentId, sessionId, stored);
  useRunningTurn(agentId, sessionId, stored, { chat, messages: history.messages });
  const { pending, refreshPending } = usePending(agentId, sessionId, stored);
  const turns = listTurns(history.messages, chat.live, pending);
  const last = turns.at(-1);
  const answer: Chat['resume'] = async (...given) => {
    try {
      await chat.resume(...given);
    } finally {
      refreshPending();
    }
  };
  return {
    chat,
    history,
    turns,
    last,
    /** Whether the last turn waits for an answer. */
    waits: last?.status === 'INPUT_REQUIRED' && last.interaction !== null,
    answer,
  };
}

/** Where the message is kept that is written, and not sent. */
export interface DraftPlace {
  name: string;
  attached: AttachedState;
}

interface DraftOptions {
  agentId: string;
  sessionId: string;
  opening: Opening;
  draft: DraftPlace;
  send: (contents: ContentItem[]) => void;
}

/** The message that is written: its first text, its attachments, and what repeats or edits the message of a turn. */
export function useDraft({ agentId, sessionId, opening, draft, send }: DraftOptions) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const attachments = useAttachments(draft.attached);
  const text = useKeptText(`${agentId}.${draft.name}`, opening.id === null ? null : opening.draft);
  const confirm = useConfirmDelete();
  // A new number replaces the input by one with another text.
  const [input, setInput] = useState({ text: text.initial, n: 0 });
  const withContents = (from: string, stored: readonly Part[], use: typeof send) =>
    void loadContents(agentId, from, stored).then(use, (error: unknown) =>
      message.error(getErrorMessage(error, t)),
    );
  useEffect(() => {
    if (opening.attachments.length > 0 && attachments.items.length === 0 && !text.wasKept)
      withContents(opening.from, opening.attachments, attachments.replace);
    // Only what the page was opened with.
  }, []);
  const again = {
    send: (turn: TurnView) => withContents(sessionId, turn.user, send),
    edit: (turn: TurnView) =>
      withContents(sessionId, turn.user, (contents) => {
        const replace = () => {
          attachments.replace(contents);
          text.keep(getText(contents));
          setInput(({ n }) => ({ text: getText(contents), n: n + 1 }));
          return Promise.resolve();
        };
        if (text.read().trim() === '' && attachments.items.length === 0) void replace();
        else
          confirm({
            title: t('playground.replaceTitle'),
            text: t('playground.replaceText'),
            verb: t('playground.replace'),
            run: replace,
          });
      }),
  };
  return { input, keep: text.keep, attachments, again };
}

/** Why the message cannot be sent, or null; and whether it can be sent without words. */
export function useSendRules(
  agent: Agent | AgentListing,
  options: RunOptions,
  contents: readonly ContentItem[],
): { blocked: string | null; canBeEmpty: boolean } {
  const { t } = useTranslation();
  const variables = listPromptVariables(agent) ?? [];
  if (!hasInputs(options)) return { blocked: null, canBeEmpty: false };
  const missing = listMissing(variables, options.variables);
  const noFiles = fitInputs(contents) ? null : t('run.noFiles');
  return {
    blocked: missing.length > 0 ? t('run.missing', { names: missing.join(', ') }) : noFiles,
    canBeEmpty: variables.length > 0,
  };
}

/** Requests cancellation of the running turn, which may take a moment. */
export function useStop({ running, stop }: Chat) {
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
  const isMissing = history.data === undefined && isNotFound(history.error);
  return {
    messages: history.data?.pages.flatMap((page): Message[] => page.items) ?? [],
    isPending: stored && history.isPending,
    /** It was deleted, or never had a message. */
    isMissing,
    error: history.data === undefined && !isMissing ? history.error : null,
    hasOlder: history.hasNextPage,
    isLoadingOlder: history.isFetchingNextPage,
    olderError: history.isFetchNextPageError ? history.error : null,
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
