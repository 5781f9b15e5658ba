import type { Job, JobStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const TONES: Record<JobStatus, string> = {
  QUEUED: '',
  RUNNING: 'running',
  INPUT_REQUIRED: 'warning',
  COMPLETED: 'success',
  FAILED: 'danger',
  CANCELLED: '',
  TIMED_OUT: 'danger',
};

/** Whether the job can change without user input. */
export const isActive = ({ status }: Job): boolean => status === 'QUEUED' || status === 'RUNNING';

/** Whether the job has ended. */
export const hasEnded = (job: Job): boolean => !isActive(job) && job.status !== 'INPUT_REQUIRED';

export function JobStatusBadge({ status }: { status: JobStatus }) {
  const { t } = useTranslation();
  return <span className={`badge ${TONES[status]}`}>{t(`jobs.statuses.${status}`)}</span>;
}

export function JobProgress({ job }: { job: Job }) {
  const { t } = useTranslation();
  return (
    <span className="job-progress">
      <progress max={100} value={job.progress} aria-label={t('jobs.progress')} />
      <span className="muted">
        {hasEnded(job) && job.status !== 'COMPLETED'
          ? t('jobs.stoppedAt', { progress: job.progress })
          : t(`jobs.phases.${job.phase}`)}
      </span>
    </span>
  );
}
