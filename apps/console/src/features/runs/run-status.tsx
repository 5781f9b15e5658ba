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

export function RunStatusBadge({ status }: { status: RunStatus | RunAttemptStatus | RunStepStatus }) {
  const { t } = useTranslation();
  return <span className={`badge ${TONES[status]}`}>{t(`runs.statuses.${status}`)}</span>;
}
