import type { ContentItem, Interaction } from '@platform/contracts';
import { useCallback, useEffect, useRef } from 'react';
import { client, keys, queryClient } from '../../../api.ts';
import { isConflict, isNotFound } from '../../../ui/layout/errors.ts';
import { isOfConversation, type Call } from '../request/call.ts';
import {
  applyError,
  createLiveTurn,
  createUnnamedId,
  createWaitingTurn,
  startNextSegment,
  type LiveTurn,
} from './live-turn.ts';
import { listAnswerLabels, type Choice } from './question.ts';
import { openCall, readSegment, readTurn } from './read-turn.ts';
import { useLiveTurns, type Followed, type LiveTurns } from './use-live-turns.ts';
import { useUnsent } from './use-unsent.ts';

export interface Chat {
  live: LiveTurn[];
  running: LiveTurn | undefined;
  /** Sends a request; `contents` is how its message is shown. */
  send: (call: Call, contents: ContentItem[]) => void;
  /** Cancels the running turn. Its output so far is kept. */
  stop: () => Promise<void>;
  /** Answers a question, so that the turn continues. Throws if the answer is rejected. */
  resume: (interaction: Interaction, choice: Choice, textBefore: string) => Promise<void>;
  /** Retries a failed chat with the same id, or sends another request again. If only the connection was lost, attaches. */
  retry: (turnId: string, contents: ContentItem[]) => void;
  /** Attaches to a running turn, from the start of its stream. */
  attach: (turnId: string) => void;
}

/** What was sent before may have arrived the first time, and run. */
const readSentAgain = (read: () => Promise<void>, attach: () => Promise<void>): Promise<void> =>
  read().catch((error: unknown) => {
    if (!isConflict(error)) throw error;
    return attach().catch(() => Promise.reject(error as Error));
  });

/** The turns that this page runs in a session. Leaving the page stops reading, but not the turns. */
export function useChat(agentId: string, sessionId: string, onStarted: () => void): Chat {
  const { left, useKept, forget } = useUnsent(agentId, sessionId);
  const [live, turns] = useLiveTurns(agentId, left);
  useKept(live.at(-1));
  const follow = useFollow(turns);
  /** Those that are being sent and read, by their questions. */
  const answers = useRef(new Map<string, { turnId: string; end: Promise<void> }>());
  const running = live.find(({ state }) => state === 'running');

  const start = (call: Call, contents: ContentItem[], known?: string) => {
    if (isOfConversation(call)) onStarted();
    const followed: Followed = { id: known ?? createUnnamedId() };
    void follow(followed, (signal) => {
      const read = openCall(turns, followed, call, signal, forget);
      turns.put({ ...createLiveTurn(followed.id, contents), call });
      return known === undefined ? read() : readSentAgain(read, () => readTurn(turns, followed, signal));
    });
  };
  useEffect(() => {
    if (left?.state === 'running') start(left.call, left.contents, left.turnId);
  }, []);

  const attach = useCallback(
    (turnId: string, contents: ContentItem[] | null = null, call: Call | null = null) => {
      // The stream of its answer is about to begin.
      if ([...answers.current.values()].some((answer) => answer.turnId === turnId)) return;
      const followed: Followed = { id: turnId };
      turns.put({ ...createLiveTurn(turnId, contents), call });
      void follow(followed, (signal) =>
        readTurn(turns, followed, signal, (resumedAt) =>
          turns.update(followed, (read) => ({ ...read, resumedAt })),
        ),
      );
    },
    [follow, turns],
  );

  const readAnswer = async (interaction: Interaction, choice: Choice, textBefore: string) => {
    const { turnId, interactionId } = interaction;
    const followed: Followed = { id: turnId };
    const waiting = live.find((turn) => turn.turnId === turnId) ?? createWaitingTurn(interaction, textBefore);
    let isAccepted = false;
    let rejection: Error | undefined;
    await follow(followed, async (signal) => {
      const answer = { sessionId: interaction.sessionId, interactionId, ...choice };
      const stream = client.agents.resume(agentId, turnId, answer, { signal });
      // Until then, the question stays with what was entered.
      const begin = () => {
        isAccepted = true;
        turns.put(startNextSegment({ ...waiting, interaction }, listAnswerLabels(interaction, choice)));
      };
      try {
        await readSegment(turns, followed, stream, begin);
      } catch (error) {
        if (isAccepted || !(error instanceof Error)) throw error;
        rejection = error;
      }
    });
    if (rejection !== undefined) throw rejection;
  };

  const resume: Chat['resume'] = (interaction, choice, textBefore) => {
    const { interactionId, turnId } = interaction;
    // Keys submit as well, and faster than the button can be disabled: the same answer would be read twice.
    const end =
      answers.current.get(interactionId)?.end ??
      readAnswer(interaction, choice, textBefore).finally(() => answers.current.delete(interactionId));
    answers.current.set(interactionId, { turnId, end });
    return end;
  };

  const retry = (turnId: string, contents: ContentItem[]) => {
    const failed = live.find((turn) => turn.turnId === turnId);
    if (failed?.cutOff) {
      attach(turnId, contents, failed.call);
      return;
    }
    const call = failed?.call ?? { kind: 'chat', request: { contents, session_id: sessionId } };
    if (call.kind === 'chat') {
      start(call, contents, turnId);
      return;
    }
    turns.keep((turn) => turn !== failed);
    start(call, contents);
  };

  const stop = () => cancelTurn(agentId, sessionId, running);
  return { live, running, send: start, stop, resume, retry, attach };
}

/** Returns a function that reads a turn until its stream ends, or the page is left. */
function useFollow(turns: LiveTurns) {
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => {
      controller.abort();
      turns.keep(({ state }) => state === 'ended');
    };
  }, [turns]);
  return useCallback(
    async (followed: Followed, read: (signal: AbortSignal) => Promise<void>) => {
      const { signal } = leaving.current;
      try {
        await read(signal);
        turns.update(followed, (turn) => ({ ...turn, state: 'ended' }));
      } catch (error) {
        if (signal.aborted) return;
        turns.update(followed, (turn) => applyError(turn, error));
      }
      void queryClient.invalidateQueries({ queryKey: keys.turn(turns.agentId, followed.id) });
      void queryClient.invalidateQueries({ queryKey: keys.sessions(turns.agentId) });
    },
    [turns],
  );
}

async function cancelTurn(agentId: string, sessionId: string, running: LiveTurn | undefined): Promise<void> {
  if (running === undefined) return;
  try {
    if (running.jobId !== null) await client.jobs.cancel(running.jobId);
    else await client.agents.cancel(agentId, running.turnId, { sessionId: running.sessionId ?? sessionId });
  } catch (error) {
    // If the turn has not started yet, it is canceled when it starts.
    if (!isNotFound(error)) throw error;
  }
}
