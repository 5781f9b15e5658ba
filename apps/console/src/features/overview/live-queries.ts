import { queryOptions } from '@tanstack/react-query';
import { client, keys } from '../../api.ts';

/** More are counted as "20+". */
const COUNTED = 20;

export const liveRunsQuery = queryOptions({
  queryKey: [...keys.runs, 'live'],
  queryFn: () => client.runs.list({ status: 'RUNNING', limit: COUNTED }),
});

export const liveJobsQuery = queryOptions({
  queryKey: [...keys.jobs, 'live'],
  queryFn: () => client.jobs.list({ status: 'RUNNING', limit: COUNTED }),
});

/** What ran last, shown if nothing is running. */
export const latestRunsQuery = queryOptions({
  queryKey: [...keys.runs, 'latest'],
  queryFn: () => client.runs.list({ limit: 5 }),
});

export const latestJobsQuery = queryOptions({
  queryKey: [...keys.jobs, 'latest'],
  queryFn: () => client.jobs.list({ limit: 5 }),
});

/** Turns that run now; those of the whole space for admins. */
export const liveTurnsQuery = (inSpace: boolean) =>
  queryOptions({
    queryKey: [...keys.turns, 'live', inSpace],
    queryFn: () =>
      client.turns.list({ status: 'RUNNING', limit: COUNTED, ...(inSpace && { scope: 'space' }) }),
  });

/** Turns of the user that wait for an answer. */
export const waitingTurnsQuery = queryOptions({
  queryKey: [...keys.turns, 'waiting'],
  queryFn: () => client.turns.list({ status: 'INPUT_REQUIRED', limit: 3 }),
});

export const failedTurnsQuery = (inSpace: boolean) =>
  queryOptions({
    queryKey: [...keys.turns, 'failed', inSpace],
    queryFn: () => client.turns.list({ status: 'FAILED', limit: 5, ...(inSpace && { scope: 'space' }) }),
  });

/** Those that nobody has dismissed. */
export const failedRunsQuery = queryOptions({
  queryKey: [...keys.runs, 'failed'],
  queryFn: () => client.runs.list({ status: 'FAILED', dismissed: 'false', limit: 5 }),
});
