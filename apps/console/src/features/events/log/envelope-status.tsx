import type { EnvelopeReason, EnvelopeStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const TONES: Record<EnvelopeStatus, string> = {
  PENDING: 'running',
  DISPATCHED: 'success',
  SKIPPED: 'warning',
  FAILED: 'danger',
};

export function EnvelopeStatusBadge({ status }: { status: EnvelopeStatus }) {
  const { t } = useTranslation();
  return <span className={`badge ${TONES[status]}`}>{t(`eventLog.statuses.${status}`)}</span>;
}

/** Explains in one sentence why an envelope was skipped or has failed. */
export function ReasonText({ reason }: { reason: EnvelopeReason | null }) {
  const { t } = useTranslation();
  return reason === null ? null : t(`eventLog.reasons.${reason}`);
}
