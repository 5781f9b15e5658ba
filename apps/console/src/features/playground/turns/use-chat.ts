import { PlatformError, type AgentStream, type VersionedJob } from '@platform/client';
import type { ContentItem, Frame, Interaction, SegmentOrigin } from '@platform/contracts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { client, keys, queryClient } from '../../../api.ts';
import { isNotFound } from '../../../ui/layout/errors.ts';
import { followJob } from '../../jobs/follow-job.ts';
import { isOfConversation, type Call } from '../request/call.ts';
import { FrameBatch } from './frame-batch.ts';
import {
  createLiveTurn,
  createUnnamedId,
  hasTurnId,
  startNextSegment,
  createWaitingTurn,
  applyError,
  applyFrames,
  type LiveTurn,
} from './live-turn.ts';
import { listAnswerLabels, type Choice } from './question.ts';

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

/** A turn of this page. The service names an execution and a job only with its response. */
interface Followed {
  id: string;
}

/** The turns that this page runs in a session. Leaving the page stops reading, but not the turns. */
export function useChat(agentId: string, sessionId: string, onStarted: () => void): Chat {
  const [live, setLive] = useState<LiveTurn[]>([]);
  const leaving = useRef(new AbortController());
  const running = live.find(({ state }) => state === 'running');

  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => {
      controller.abort();
      setLive((turns) => turns.filter(({ state }) => state === 'ended'));
    };
  }, []);

  const update = useCallback(
    ({ id }: Followed, change: (turn: LiveTurn) => LiveTurn) =>
      setLive((turns) => turns.map((turn) => (turn.turnId === id ? change(turn) : turn))),
    [],
  );
  const put = useCallback(
    (turn: LiveTurn) => setLive((turns) => [...turns.filter(({ turnId }) => turnId !== turn.turnId), turn]),
    [],
  );
  const name = useCallback(
    (followed: Followed, turnId: string | null) => {
      if (turnId === null || turnId === followed.id) return;
      update(followed, (turn) => ({ ...turn, turnId }));
      followed.id = turnId;
    },
    [update],
  );

  const readSegment = useCallback(
    async (followed: Followed, stream: AgentStream<string | null>) => {
      const batch = new FrameBatch<Frame>((frames) => {
        name(followed, stream.turnId);
        update(followed, (turn) => ({
          ...applyFrames(turn, frames),
          requestId: stream.requestId ?? turn.requestId,
        }));
      });
      let requestId: string | null = null;
      let lastSeq = 0;
      try {
        for await (const frame of stream.frames()) {
          // Another response to the same stream: the client has attached again after it lost the connection.
          const resumedAt = requestId !== null && requestId !== stream.requestId ? lastSeq : null;
          if (resumedAt !== null) update(followed, (turn) => ({ ...turn, resumedAt }));
          ({ requestId } = stream);
          lastSeq = frame.seq;
          batch.add(frame);
        }
      } finally {
        batch.flush();
      }
    },
    [name, update],
  );

  /** Reads a turn and returns how its stream ended. */
  const follow = useCallback(
    async (followed: Followed, read: (signal: AbortSignal) => Promise<void>) => {
      const { signal } = leaving.current;
      try {
        await read(signal);
        update(followed, (turn) => ({ ...turn, state: 'ended' }));
      } catch (error) {
        if (signal.aborted) return;
        update(followed, (turn) => applyError(turn, error));
      }
      void queryClient.invalidateQueries({ queryKey: keys.turn(agentId, followed.id) });
      void queryClient.invalidateQueries({ queryKey: keys.sessions(agentId) });
    },
    [agentId, update],
  );

  /** Reads the recorded segments of a turn, and what follows. Returns the number of frames that existed. */
  const readTurn = useCallback(
    async (followed: Followed, signal: AbortSignal, onLength?: (lastSeq: number) => void) => {
      const turn = await client.agents.turn(agentId, followed.id, { signal });
      onLength?.(turn.segments.at(-1)?.lastSeq ?? 0);
      for (const [i, segment] of findCurrentSegments(turn.segments).entries()) {
        if (i > 0) update(followed, (read) => startNextSegment(read, null));
        const position = { segment: segment.segment };
        await readSegment(followed, client.agents.attachTurn(agentId, followed.id, position, { signal }));
      }
      const { error } = turn;
      if (turn.segments.length === 0 && error !== null)
        update(followed, (read) => ({ ...read, failure: { ...error, requestId: null } }));
    },
    [agentId, readSegment, update],
  );

  /** Creates a job, waits until it runs, and reads its turn. */
  const runJob = async (followed: Followed, { request }: Call & { kind: 'job' }, signal: AbortSignal) => {
    let known: VersionedJob = await client.jobs.createVersioned(request, { signal });
    const { id: jobId, turnId, sessionId: ofTurn } = known.job;
    name(followed, turnId);
    update(followed, (turn) => ({ ...turn, jobId, sessionId: ofTurn }));
    void queryClient.invalidateQueries({ queryKey: keys.jobs });
    while (known.job.status === 'QUEUED') known = await followJob(client.jobs, jobId, known, signal);
    await readTurn(followed, signal);
  };

  const start = (call: Call, contents: ContentItem[], known?: string) => {
    if (isOfConversation(call)) onStarted();
    const followed: Followed = { id: known ?? createUnnamedId() };
    const read = open(call, followed, leaving.current.signal);
    put({ ...createLiveTurn(followed.id, contents), call });
    void follow(followed, read);
  };

  /** Opens what the request is read from. A chat is named by the client, so that it can be repeated. */
  const open = (call: Call, followed: Followed, signal: AbortSignal) => {
    if (call.kind === 'job') return () => runJob(followed, call, signal);
    if (call.kind === 'execute') {
      const stream = client.agents.executeStream(agentId, call.request, { signal });
      return () => readSegment(followed, stream);
    }
    const turnId = hasTurnId(followed.id) ? { turnId: followed.id } : {};
    const stream = client.agents.chatStream(agentId, { ...call.request, ...turnId }, { signal });
    followed.id = stream.turnId;
    return () => readSegment(followed, stream);
  };

  const attach = useCallback(
    (turnId: string, contents: ContentItem[] | null = null, call: Call | null = null) => {
      const followed: Followed = { id: turnId };
      put({ ...createLiveTurn(turnId, contents), call });
      void follow(followed, (signal) =>
        readTurn(followed, signal, (resumedAt) => update(followed, (read) => ({ ...read, resumedAt }))),
      );
    },
    [follow, put, readTurn, update],
  );

  const resume = async (interaction: Interaction, choice: Choice, textBefore: string) => {
    const { turnId, interactionId } = interaction;
    const followed: Followed = { id: turnId };
    const waiting = live.find((turn) => turn.turnId === turnId) ?? createWaitingTurn(interaction, textBefore);
    let rejection: PlatformError | undefined;
    put(startNextSegment({ ...waiting, interaction }, listAnswerLabels(interaction, choice)));
    await follow(followed, async (signal) => {
      const answer = { sessionId: interaction.sessionId, interactionId, ...choice };
      const stream = client.agents.resume(agentId, turnId, answer, { signal });
      try {
        await readSegment(followed, stream);
      } catch (error) {
        if (!(error instanceof PlatformError) || stream.segment !== null) throw error;
        rejection = error;
        update(followed, () => waiting);
      }
    });
    if (rejection !== undefined) throw rejection;
  };

  const stop = async () => {
    if (running === undefined) return;
    try {
      if (running.jobId !== null) await client.jobs.cancel(running.jobId);
      else await client.agents.cancel(agentId, running.turnId, { sessionId: running.sessionId ?? sessionId });
    } catch (error) {
      // If the turn has not started yet, it is cancelled when it starts.
      if (!isNotFound(error)) throw error;
    }
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
    setLive((turns) => turns.filter((turn) => turn !== failed));
    start(call, contents);
  };

  return { live, running, send: start, stop, resume, retry, attach };
}

/** Returns the segments that form the answer: the last start or rerun, and the resumes after it. */
function findCurrentSegments<T extends { origin: SegmentOrigin }>(segments: T[]): T[] {
  return segments.slice(
    Math.max(
      0,
      segments.findLastIndex(({ origin }) => origin !== 'resume'),
    ),
  );
}
