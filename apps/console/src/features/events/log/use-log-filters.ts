import { ENVELOPE_STATUSES, type EnvelopeQuery, type EnvelopeStatus } from '@platform/contracts';
import { useMemo } from 'react';
import { findPeriodStart, PERIODS, type Period } from '../../../ui/format/periods.ts';
import { useSearchFields } from '../../../ui/url/use-search-fields.ts';
import { validTime } from '../replay/local-time.ts';

export interface LogFilters {
  status?: EnvelopeStatus;
  applicationIdentifier?: string;
  event?: string;
  /** A period that ends now. It excludes `from` and `to`. */
  since?: Period;
  from?: string;
  to?: string;
}

/** The filters of the log. They are in the URL. */
export function useLogFilters(): [
  LogFilters,
  (changes: { [K in keyof LogFilters]: LogFilters[K] | undefined }) => void,
] {
  const [search, change] = useSearchFields();
  return [parseLogFilters(search), change];
}

export function parseLogFilters(search: URLSearchParams): LogFilters {
  const status = ENVELOPE_STATUSES.find((one) => one === search.get('status'));
  const since = PERIODS.find((one) => one === search.get('since'));
  const from = validTime(search.get('from'));
  const to = validTime(search.get('to'));
  const applicationIdentifier = search.get('applicationIdentifier');
  const event = search.get('event');
  return {
    ...(status !== undefined && { status }),
    ...(applicationIdentifier !== null && applicationIdentifier !== '' && { applicationIdentifier }),
    ...(event !== null && event !== '' && { event }),
    ...(since !== undefined && { since }),
    ...(since === undefined && from !== undefined && { from }),
    ...(since === undefined && to !== undefined && { to }),
  };
}

/** Returns the query for the filters. The start of a period stays the same, because cursors belong to one query. */
export function useEnvelopeQuery({ since, ...filters }: LogFilters): EnvelopeQuery {
  const start = useMemo(
    () => (since === undefined ? undefined : findPeriodStart(since, Date.now())),
    [since],
  );
  return { ...filters, ...(start !== undefined && { from: start }) };
}
