import type { TurnStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const TONES: Record<TurnStatus, string> = {
  QUEUED: '',
  RUNNING: 'running',
  INPUT_REQUIRED: 'warning',
  COMPLETED: 'success',
  FAILED: 'danger',
  CANCELLED: '',
};

export function TurnStatusBadge({ status }: { status: TurnStatus }) {
  const { t } = useTranslation();
  return <span className={`badge ${TONES[status]}`}>{t(`jobs.statuses.${status}`)}</span>;
}
