import type { RunStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const TONES: Record<RunStatus, string> = {
  QUEUED: '',
  RUNNING: 'running',
  SUCCEEDED: 'success',
  FAILED: 'danger',
  CANCELLED: '',
  INTERRUPTED: 'warning',
};

export const hasRunEnded = (status: RunStatus): boolean => status !== 'QUEUED' && status !== 'RUNNING';

export function RunStatusBadge({ status }: { status: RunStatus }) {
  const { t } = useTranslation();
  return <span className={`badge ${TONES[status]}`}>{t(`runs.statuses.${status}`)}</span>;
}
