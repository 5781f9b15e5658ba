import {
  ENVELOPE_OUTCOMES,
  ENVELOPE_STATUSES,
  type EnvelopeOutcome,
  type EnvelopeStatus,
} from '@platform/contracts';
import { useSearchFields } from '../../../ui/url/use-search-fields.ts';
import { parseEventFilters, type EventFilters } from './event-filters.ts';

export interface LogFilters extends EventFilters {
  status?: EnvelopeStatus;
  outcome?: EnvelopeOutcome;
  text?: string;
  idempotencyKey?: string;
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
  const outcome = ENVELOPE_OUTCOMES.find((one) => one === search.get('outcome'));
  const text = search.get('text') || undefined;
  const idempotencyKey = search.get('idempotencyKey') || undefined;
  return {
    ...(status !== undefined && { status }),
    ...(outcome !== undefined && { outcome }),
    ...(text !== undefined && { text }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...parseEventFilters(search),
  };
}
