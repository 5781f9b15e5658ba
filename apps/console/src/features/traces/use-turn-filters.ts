import { TURN_STATUSES, type TurnQuery, type TurnStatus } from '@platform/contracts';
import { useMemo } from 'react';
import { useSearchFields } from '../../ui/use-search-fields.ts';

/** Periods that end now, in milliseconds. */
export const TURN_PERIODS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 };
export type TurnPeriod = keyof typeof TURN_PERIODS;

export interface TurnFilters {
  scope?: 'space';
  agent?: string;
  session?: string;
  run?: string;
  user?: string;
  status?: TurnStatus;
  model?: string;
  since?: TurnPeriod;
}
type Name = keyof TurnFilters;

/** The filters of the list of turns. They are in the URL. */
export function useTurnFilters(
  isAdmin: boolean,
): [TurnFilters, (changes: Partial<Record<Name, string | undefined>>) => void] {
  const [search, change] = useSearchFields();
  return [parseTurnFilters(search, isAdmin), change];
}

export function parseTurnFilters(search: URLSearchParams, isAdmin: boolean): TurnFilters {
  const text = (name: Name) => search.get(name) || undefined;
  const status = TURN_STATUSES.find((one) => one === search.get('status'));
  const since = (Object.keys(TURN_PERIODS) as TurnPeriod[]).find((one) => one === search.get('since'));
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
  const from = useMemo(
    () => (since === undefined ? undefined : new Date(Date.now() - TURN_PERIODS[since]).toISOString()),
    [since],
  );
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
