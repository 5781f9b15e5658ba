import { useMemo } from 'react';
import { findPeriodStart, PERIODS, type Period } from '../../../ui/format/periods.ts';
import { validTime } from '../replay/local-time.ts';

/** Filters that the log and the list of runs share. */
export interface EventFilters {
  applicationIdentifier?: string;
  event?: string;
  /** A period that ends now. It excludes `from` and `to`. */
  since?: Period;
  from?: string;
  to?: string;
}

export function parseEventFilters(search: URLSearchParams): EventFilters {
  const since = PERIODS.find((one) => one === search.get('since'));
  const from = validTime(search.get('from'));
  const to = validTime(search.get('to'));
  const applicationIdentifier = search.get('applicationIdentifier') || undefined;
  const event = search.get('event') || undefined;
  return {
    ...(applicationIdentifier !== undefined && { applicationIdentifier }),
    ...(event !== undefined && { event }),
    ...(since !== undefined && { since }),
    ...(since === undefined && from !== undefined && { from }),
    ...(since === undefined && to !== undefined && { to }),
  };
}

/** Returns the filters as a query. The start of a period stays the same, because cursors belong to one query. */
export function useTimedQuery<T extends EventFilters>({ since, ...filters }: T): Omit<T, 'since'> {
  const start = useMemo(
    () => (since === undefined ? undefined : findPeriodStart(since, Date.now())),
    [since],
  );
  return { ...filters, ...(start !== undefined && { from: start }) };
}
