import { ENVELOPE_STATUSES, type EnvelopeStatus } from '@platform/contracts';
import { useSearchFields } from '../../../ui/url/use-search-fields.ts';
import { parseEventFilters, type EventFilters } from './event-filters.ts';

export interface LogFilters extends EventFilters {
  status?: EnvelopeStatus;
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
  return { ...(status !== undefined && { status }), ...parseEventFilters(search) };
}
