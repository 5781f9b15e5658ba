import { RUN_STATUSES, type RunOrigin, type RunStatus } from '@platform/contracts';
import { useSearchFields } from '../../ui/url/use-search-fields.ts';
import { parseEventFilters, type EventFilters } from '../events/log/event-filters.ts';

export const RUN_ORIGINS = ['EVENT', 'MANUAL', 'SCHEDULE'] as const satisfies RunOrigin[];

export interface RunFilters extends EventFilters {
  status?: RunStatus;
  origin?: RunOrigin;
  taskId?: string;
  ownerUserId?: string;
  /** Of the error with which the run ended. */
  errorCode?: string;
  /** In the inputs, the payload, the error, or the log. */
  text?: string;
}

export type RunFilterChanges = { [K in keyof RunFilters]: RunFilters[K] | undefined };

/** The filters of a list of runs. They are in the URL. */
export function useRunFilters(): [RunFilters, (changes: RunFilterChanges) => void] {
  const [search, change] = useSearchFields();
  return [parseRunFilters(search), change];
}

export function parseRunFilters(search: URLSearchParams): RunFilters {
  const status = RUN_STATUSES.find((one) => one === search.get('status'));
  const origin = RUN_ORIGINS.find((one) => one === search.get('origin'));
  const taskId = search.get('taskId') || undefined;
  const ownerUserId = search.get('ownerUserId') || undefined;
  const errorCode = search.get('errorCode') || undefined;
  const text = search.get('text') || undefined;
  return {
    ...(status !== undefined && { status }),
    ...(origin !== undefined && { origin }),
    ...(taskId !== undefined && { taskId }),
    ...(ownerUserId !== undefined && { ownerUserId }),
    ...(errorCode !== undefined && { errorCode }),
    ...(text !== undefined && { text }),
    ...parseEventFilters(search),
  };
}
