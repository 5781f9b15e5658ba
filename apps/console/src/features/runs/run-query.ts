import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';
import { refreshRunAfter } from './run-status.tsx';

const REFRESH_MS = 1_000;

/** A run, loaded again while it is active. */
export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: keys.run(runId),
    queryFn: () => client.runs.get(runId),
    refetchInterval: ({ state }) => (state.data ? refreshRunAfter(state.data.status, REFRESH_MS) : false),
  });
