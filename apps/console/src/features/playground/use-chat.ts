import type { AgentStream } from '@platform/client';
import type { ContentItem, Frame } from '@platform/contracts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { client, keys, queryClient } from '../../api.ts';
import { newLiveTurn, withError, withFrames, type LiveTurn } from './live-turn.ts';

/** Frames are put on the screen together this often; an answer may bring hundreds per second. */
const RENDER_EVERY_MS = 40;

interface Chat {
  live: LiveTurn[];
  running: LiveTurn | undefined;
  send: (contents: ContentItem[]) => void;
  /** Sends a failed turn again, under its id; a turn that only lost its connection is joined again. */
  retry: (turnId: string, contents: ContentItem[]) => void;
  /** Joins a turn that runs already, from the start of its stream. */
  attach: (turnId: string) => void;
}

/** The turns that this page runs in one session. Leaving the page stops reading, not the turns. */
export function useChat(agentId: string, sessionId: string, onStarted: () => void): Chat {
  const [live, setLive] = useState<LiveTurn[]>([]);
  const leaving = useRef(new AbortController());

  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => {
      controller.abort();
      setLive((turns) => turns.filter(({ state }) => state === 'ended'));
    };
  }, []);

  const read = useCallback(
    async (open: (signal: AbortSignal) => AgentStream, contents: ContentItem[] | null) => {
      const { signal } = leaving.current;
      const stream = open(signal);
      const update = (change: (turn: LiveTurn) => LiveTurn) =>
        setLive((turns) => turns.map((turn) => (turn.turnId === stream.turnId ? change(turn) : turn)));

      setLive((turns) => [
        ...turns.filter(({ turnId }) => turnId !== stream.turnId),
        newLiveTurn(stream.turnId, contents),
      ]);
      const batch = new Batch<Frame>(RENDER_EVERY_MS, (frames) =>
        update((turn) => ({ ...withFrames(turn, frames), requestId: stream.requestId ?? turn.requestId })),
      );
      try {
        for await (const frame of stream.frames()) batch.add(frame);
        batch.flush();
        update((turn) => ({ ...turn, state: 'ended' }));
      } catch (error) {
        if (signal.aborted) return;
        batch.flush();
        update((turn) => withError(turn, error));
      }
      void queryClient.invalidateQueries({ queryKey: keys.sessions(agentId) });
    },
    [agentId],
  );

  const start = (contents: ContentItem[], turnId?: string) => {
    onStarted();
    const request = { contents, session_id: sessionId, ...(turnId !== undefined && { turnId }) };
    void read((signal) => client.agents.chatStream(agentId, request, { signal }), contents);
  };

  const attach = useCallback(
    (turnId: string, contents: ContentItem[] | null = null) =>
      void read((signal) => client.agents.attachTurn(agentId, turnId, {}, { signal }), contents),
    [agentId, read],
  );
  const retry = (turnId: string, contents: ContentItem[]) => {
    const cutOff = live.some((turn) => turn.turnId === turnId && turn.cutOff);
    if (cutOff) attach(turnId, contents);
    else start(contents, turnId);
  };

  return {
    live,
    running: live.find(({ state }) => state === 'running'),
    send: start,
    retry,
    attach,
  };
}

/** Collects items and hands them over together. */
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
