import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { jobQuery } from '../../jobs/job-query.ts';
import { hasEnded, JobProgress, JobStatusBadge } from '../../jobs/job-state.tsx';
import '../../jobs/jobs.css';

/** The state of the job that runs a turn, and the way to it. */
export function JobLine({ jobId }: { jobId: string }) {
  const { t } = useTranslation();
  const { data: job } = useQuery(jobQuery(jobId));
  return (
    <div className="job-line row wrap">
      <Link to={paths.job(jobId)}>{t('jobs.job')}</Link>
      {job && <JobStatusBadge status={job.status} />}
      {job && !hasEnded(job) && <JobProgress job={job} />}
    </div>
  );
}
