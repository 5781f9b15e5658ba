import type { RunAttemptStatus, RunStatus, RunStepStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const TONES: Record<RunStatus | RunAttemptStatus | RunStepStatus, string> = {
  QUEUED: '',
  RUNNING: 'running',
  WAITING: '',
  SUCCEEDED: 'success',
  FAILED: 'danger',
  CANCELLED: '',
  INTERRUPTED: 'warning',
  HANDED_OVER: '',
  WAITED: '',
  SKIPPED: '',
};

const UNFINISHED: readonly RunStatus[] = ['QUEUED', 'RUNNING', 'WAITING'];

export const hasRunEnded = (status: RunStatus): boolean => !UNFINISHED.includes(status);

/** A run can wait for days, and the stream of changes tells when it goes on. */
const WAITING_MS = 30_000;

/** How long until a run is loaded again, which in motion takes `motionMs`; false once it has ended. */
export function refreshRunAfter(status: RunStatus, motionMs: number): number | false {
  if (hasRunEnded(status)) return false;
  return status === 'WAITING' ? WAITING_MS : motionMs;
}

export function RunStatusBadge({ status }: { status: RunStatus | RunAttemptStatus | RunStepStatus }) {
  const { t } = useTranslation();
  return <span className={`badge ${TONES[status]}`}>{t(`runs.statuses.${status}`)}</span>;
}
