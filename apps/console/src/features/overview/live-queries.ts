import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';

const REFRESH_MS = 5_000;
/** More are counted as "20+". */
const COUNTED = 20;

export const liveRunsQuery = queryOptions({
  queryKey: [...keys.runs, 'live'],
  queryFn: () => client.runs.list({ status: 'RUNNING', limit: COUNTED }),
  refetchInterval: REFRESH_MS,
});

export const liveJobsQuery = queryOptions({
  queryKey: [...keys.jobs, 'live'],
  queryFn: () => client.jobs.list({ status: 'RUNNING', limit: COUNTED }),
  refetchInterval: REFRESH_MS,
});

/** What ran last, shown if nothing is running. */
export const latestRunsQuery = queryOptions({
  queryKey: [...keys.runs, 'latest'],
  queryFn: () => client.runs.list({ limit: 5 }),
  refetchInterval: REFRESH_MS,
});

export const latestJobsQuery = queryOptions({
  queryKey: [...keys.jobs, 'latest'],
  queryFn: () => client.jobs.list({ limit: 5 }),
  refetchInterval: REFRESH_MS,
});
