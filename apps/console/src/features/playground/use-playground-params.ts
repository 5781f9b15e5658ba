import { useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { createSessionId } from './request/session-id.ts';

export type PlaygroundView = 'chat' | 'frames';

/** What the page shows, as parts of the URL. */
export function usePlaygroundParams() {
  const [search, setSearch] = useSearchParams();
  const { state } = useLocation() as { state: unknown };
  const set = (name: string, value: string | null, nextState = state) =>
    setSearch(
      (before) => {
        if (value === null) before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true, state: nextState },
    );
  const view: PlaygroundView = search.get('view') === 'frames' ? 'frames' : 'chat';
  return {
    view,
    setView: (next: PlaygroundView) => set('view', next === 'chat' ? null : next),
    panelOpen: search.get('panel') === 'open',
    openPanel: (open: boolean) => set('panel', open ? 'open' : null),
    openSession: (sessionId: string) => set('session', sessionId, null),
  };
}

/** The session of the URL, or a new one, which the service does not have yet. */
export function useOpenSession() {
  const [search] = useSearchParams();
  const named = search.get('session');
  const [draft, setDraft] = useState(createSessionId);

  // After switching sessions, the service may already have the session of the draft.
  const [opened, setOpened] = useState(named);
  if (opened !== named) {
    setOpened(named);
    if (named !== null && named !== draft) setDraft(createSessionId());
  }

  const sessionId = named ?? draft;
  return {
    sessionId,
    isNamed: named !== null,
    isDraft: sessionId === draft,
    startDraft: () => setDraft(createSessionId()),
  };
}
