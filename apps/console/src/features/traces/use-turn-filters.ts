import { TURN_STATUSES, type TurnQuery, type TurnStatus } from '@platform/contracts';
import { useMemo } from 'react';
import { findPeriodStart, type Period } from '../../ui/format/periods.ts';
import { useSearchFields } from '../../ui/url/use-search-fields.ts';

export const TURN_PERIODS = ['1h', '24h', '7d', '30d'] as const satisfies Period[];

export interface TurnFilters {
  scope?: 'space';
  agent?: string;
  session?: string;
  run?: string;
  user?: string;
  status?: TurnStatus;
  model?: string;
  since?: (typeof TURN_PERIODS)[number];
}
type Name = keyof TurnFilters;
export type TurnFilterChanges = Partial<Record<Name, string | undefined>>;

/** The filters of the list of turns. They are in the URL. */
export function useTurnFilters(isAdmin: boolean): [TurnFilters, (changes: TurnFilterChanges) => void] {
  const [search, change] = useSearchFields();
  return [parseTurnFilters(search, isAdmin), change];
}

export function parseTurnFilters(search: URLSearchParams, isAdmin: boolean): TurnFilters {
  const text = (name: Name) => search.get(name) || undefined;
  const status = TURN_STATUSES.find((one) => one === search.get('status'));
  const since = TURN_PERIODS.find((one) => one === search.get('since'));
  const inSpace = isAdmin && search.get('scope') === 'space';
  const [agent, session, run, user, model] = [
    text('agent'),
    text('session'),
    text('run'),
    text('user'),
    text('model'),
  ];
  return {
    ...(inSpace && { scope: 'space' as const }),
    ...(agent !== undefined && { agent }),
    // Sessions are private, and belong to an agent.
    ...(!inSpace && agent !== undefined && session !== undefined && { session }),
    ...(run !== undefined && { run }),
    ...(inSpace && user !== undefined && { user }),
    ...(status !== undefined && { status }),
    ...(model !== undefined && { model }),
    ...(since !== undefined && { since }),
  };
}

/** Returns the query for the filters. The start of a period stays the same, because cursors belong to one query. */
export function useTurnQuery({
  scope,
  agent,
  session,
  run,
  user,
  since,
  ...filters
}: TurnFilters): TurnQuery {
  const from = useMemo(() => (since === undefined ? undefined : findPeriodStart(since, Date.now())), [since]);
  return {
    ...filters,
    ...(scope !== undefined && { scope }),
    ...(agent !== undefined && { agentId: agent }),
    ...(session !== undefined && { sessionId: session }),
    ...(run !== undefined && { runId: run }),
    ...(user !== undefined && { userId: user }),
    ...(from !== undefined && { from }),
  };
}
