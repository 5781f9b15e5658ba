import type { RunAttemptStatus, RunStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const TONES: Record<RunStatus | RunAttemptStatus, string> = {
  QUEUED: '',
  RUNNING: 'running',
  SUCCEEDED: 'success',
  FAILED: 'danger',
  CANCELLED: '',
  INTERRUPTED: 'warning',
  HANDED_OVER: '',
};

export const hasRunEnded = (status: RunStatus): boolean => status !== 'QUEUED' && status !== 'RUNNING';

export function RunStatusBadge({ status }: { status: RunStatus | RunAttemptStatus }) {
  const { t } = useTranslation();
  return <span className={`badge ${TONES[status]}`}>{t(`runs.statuses.${status}`)}</span>;
}
