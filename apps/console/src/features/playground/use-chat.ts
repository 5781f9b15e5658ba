import { PlatformError, type AgentStream } from '@platform/client';
import type { ContentItem, Frame, Interaction, SegmentOrigin } from '@platform/contracts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { client, keys, queryClient } from '../../api.ts';
import { isNotFound } from '../../ui/errors.ts';
import {
  createLiveTurn,
  startNextSegment,
  createWaitingTurn,
  applyError,
  applyFrames,
  type LiveTurn,
} from './live-turn.ts';
import { listAnswerLabels, type Choice } from './question.ts';

/** Interval at which frames are rendered together. A stream can deliver hundreds per second. */
const RENDER_EVERY_MS = 40;

export interface Chat {
  live: LiveTurn[];
  running: LiveTurn | undefined;
  send: (contents: ContentItem[]) => void;
  /** Cancels the running turn. Its output so far is kept. */
  stop: () => Promise<void>;
  /** Answers a question, so that the turn continues. Throws if the answer is rejected. */
  resume: (interaction: Interaction, choice: Choice, textBefore: string) => Promise<void>;
  /** Retries a failed turn with the same id. If only its connection was lost, attaches to it again. */
  retry: (turnId: string, contents: ContentItem[]) => void;
  /** Attaches to a running turn, from the start of its stream. */
  attach: (turnId: string) => void;
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
    (turnId: string, change: (turn: LiveTurn) => LiveTurn) =>
      setLive((turns) => turns.map((turn) => (turn.turnId === turnId ? change(turn) : turn))),
    [],
  );
  const put = useCallback(
    (turn: LiveTurn) => setLive((turns) => [...turns.filter(({ turnId }) => turnId !== turn.turnId), turn]),
    [],
  );

  const readSegment = useCallback(
    async (turnId: string, stream: AgentStream) => {
      const batch = new Batch<Frame>(RENDER_EVERY_MS, (frames) =>
        update(turnId, (turn) => ({
          ...applyFrames(turn, frames),
          requestId: stream.requestId ?? turn.requestId,
        })),
      );
      try {
        for await (const frame of stream.frames()) batch.add(frame);
      } finally {
        batch.flush();
      }
    },
    [update],
  );

  /** Reads a turn and returns how its stream ended. */
  const follow = useCallback(
    async (turnId: string, read: (signal: AbortSignal) => Promise<void>) => {
      const { signal } = leaving.current;
      try {
        await read(signal);
        update(turnId, (turn) => ({ ...turn, state: 'ended' }));
      } catch (error) {
        if (signal.aborted) return;
        update(turnId, (turn) => applyError(turn, error));
      }
      void queryClient.invalidateQueries({ queryKey: keys.sessions(agentId) });
    },
    [agentId, update],
  );

  const start = (contents: ContentItem[], known?: string) => {
    onStarted();
    const request = { contents, session_id: sessionId, ...(known !== undefined && { turnId: known }) };
    const stream = client.agents.chatStream(agentId, request, { signal: leaving.current.signal });
    put(createLiveTurn(stream.turnId, contents));
    void follow(stream.turnId, () => readSegment(stream.turnId, stream));
  };

  const attach = useCallback(
    (turnId: string, contents: ContentItem[] | null = null) => {
      put(createLiveTurn(turnId, contents));
      void follow(turnId, async (signal) => {
        const turn = await client.agents.turn(agentId, turnId, { signal });
        const lastSeq = turn.segments.at(-1)?.lastSeq ?? 0;
        update(turnId, (read) => ({ ...read, resumedAt: lastSeq }));
        for (const [i, segment] of findCurrentSegments(turn.segments).entries()) {
          if (i > 0) update(turnId, (read) => startNextSegment(read, null));
          const stream = client.agents.attachTurn(agentId, turnId, { segment: segment.segment }, { signal });
          await readSegment(turnId, stream);
        }
      });
    },
    [agentId, follow, put, readSegment, update],
  );

  const resume = async (interaction: Interaction, choice: Choice, textBefore: string) => {
    const { turnId, interactionId } = interaction;
    const waiting = live.find((turn) => turn.turnId === turnId) ?? createWaitingTurn(interaction, textBefore);
    let rejection: PlatformError | undefined;
    put(startNextSegment({ ...waiting, interaction }, listAnswerLabels(interaction, choice)));
    await follow(turnId, async (signal) => {
      const stream = client.agents.resume(
        agentId,
        turnId,
        { sessionId, interactionId, ...choice },
        { signal },
      );
      try {
        await readSegment(turnId, stream);
      } catch (error) {
        if (!(error instanceof PlatformError) || stream.segment !== null) throw error;
        rejection = error;
        update(turnId, () => waiting);
      }
    });
    if (rejection !== undefined) throw rejection;
  };

  const stop = async () => {
    if (running === undefined) return;
    try {
      await client.agents.cancel(agentId, running.turnId, { sessionId });
    } catch (error) {
      // If the turn has not started yet, it is cancelled when it starts.
      if (!isNotFound(error)) throw error;
    }
  };

  const retry = (turnId: string, contents: ContentItem[]) => {
    const cutOff = live.some((turn) => turn.turnId === turnId && turn.cutOff);
    if (cutOff) attach(turnId, contents);
    else start(contents, turnId);
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

/** Collects items and delivers them in batches. */
class Batch<T> {
  private items: T[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly delayMs: number;
  private readonly deliver: (items: T[]) => void;

  constructor(delayMs: number, deliver: (items: T[]) => void) {
    this.delayMs = delayMs;
    this.deliver = deliver;
  }

  add(item: T): void {
    this.items.push(item);
    this.timer ??= setTimeout(() => this.flush(), this.delayMs);
  }

  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.items.length > 0) this.deliver(this.items.splice(0));
  }
}
