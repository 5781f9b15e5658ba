import type { VersionedJob } from '@platform/client';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys, queryClient } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { followJob } from '../../jobs/follow-job.ts';
import { hasEnded, JobProgress, JobStatusBadge } from '../../jobs/job-state.tsx';
import '../../jobs/jobs.css';

/** Pause between two requests. Each request waits in the service until the job has changed. */
const PAUSE_MS = 200;

/** The state of the job that runs a turn, and the way to it. */
export function JobLine({ jobId }: { jobId: string }) {
  const { t } = useTranslation();
  const { data: job } = useQuery({
    queryKey: keys.job(jobId),
    queryFn: ({ signal }) => followJob(client.jobs, jobId, queryClient.getQueryData(keys.job(jobId)), signal),
    refetchInterval: ({ state }) => (state.data && !hasEnded(state.data.job) ? PAUSE_MS : false),
    select: (found: VersionedJob) => found.job,
  });
  return (
    <div className="job-line row wrap">
      <Link to={paths.job(jobId)}>{t('jobs.job')}</Link>
      {job && <JobStatusBadge status={job.status} />}
      {job && !hasEnded(job) && <JobProgress job={job} />}
    </div>
  );
}
