import type { VersionedJob } from '@platform/client';
import { queryOptions } from '@tanstack/react-query';
import { client, keys, queryClient } from '../../api.ts';
import { followJob } from './follow-job.ts';
import { hasEnded } from './job-state.tsx';

/** Pause between two requests. Each request waits in the service until the job has changed. */
const PAUSE_MS = 200;
/** A refusal comes at once, and so would the next one. */
const FAILED_MS = 5_000;

/** A job, followed until it ends. */
export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: keys.job(jobId),
    queryFn: ({ signal }) => followJob(client.jobs, jobId, queryClient.getQueryData(keys.job(jobId)), signal),
    refetchInterval: ({ state: { data, error } }) => {
      if (data === undefined || hasEnded(data.job)) return false;
      return error === null ? PAUSE_MS : FAILED_MS;
    },
    select: ({ job }: VersionedJob) => job,
  });
