import type { Job, JobStatus } from '@platform/contracts';
import { client, keys } from '../../api.ts';
import { useList, type List } from '../../ui/lists/use-list.ts';
import { isActive } from './job-state.tsx';

const REFRESH_MS = 2_000;

/** The jobs with a status, or all. */
export function useJobs(status: JobStatus | undefined): List<Job> {
  return useList<Job>(
    [...keys.jobs, { status }],
    (page) => client.jobs.list({ ...page, ...(status !== undefined && { status }) }),
    { refreshAfter: (job) => isActive(job) && REFRESH_MS },
  );
}
