import { useState } from 'react';
import type { LiveTurn } from './live-turn.ts';

/** A turn of this page. The service names an execution and a job only with its response. */
export interface Followed {
  id: string;
}

/** Changes the turns of this page. */
export interface LiveTurns {
  agentId: string;
  update: (followed: Followed, change: (turn: LiveTurn) => LiveTurn) => void;
  /** Adds a turn, or replaces it, as the last one. */
  put: (turn: LiveTurn) => void;
  rename: (followed: Followed, turnId: string | null) => void;
  keep: (isKept: (turn: LiveTurn) => boolean) => void;
}

/** The turns that this page runs in sessions of an agent, and what changes them, which stays the same. */
export function useLiveTurns(agentId: string, first: LiveTurn | null): [LiveTurn[], LiveTurns] {
  const [live, setLive] = useState<LiveTurn[]>(first === null ? [] : [first]);
  const [turns] = useState<LiveTurns>(() => {
    const update: LiveTurns['update'] = ({ id }, change) =>
      setLive((before) => before.map((turn) => (turn.turnId === id ? change(turn) : turn)));
    return {
      agentId,
      update,
      put: (turn) => setLive((before) => [...before.filter(({ turnId }) => turnId !== turn.turnId), turn]),
      rename: (followed, turnId) => {
        if (turnId === null || turnId === followed.id) return;
        update(followed, (turn) => ({ ...turn, turnId }));
        followed.id = turnId;
      },
      keep: (isKept) => setLive((before) => before.filter(isKept)),
    };
  });
  return [live, turns];
}
