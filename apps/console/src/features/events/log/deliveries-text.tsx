import type { Envelope } from '@platform/contracts';
import { useTranslation } from 'react-i18next';

const PARTS = ['succeeded', 'failed', 'missed', 'waiting', 'cancelled'] as const;
const TONES: Record<(typeof PARTS)[number], string> = {
  succeeded: 'success-text',
  failed: 'danger-text',
  missed: 'danger-text',
  waiting: '',
  cancelled: 'muted',
};

/** What became of the deliveries of an envelope; how many there were, if none of their runs are kept. */
export function DeliveriesText({ deliveries, matchedCount }: Pick<Envelope, 'deliveries' | 'matchedCount'>) {
  const { t } = useTranslation();
  const present = PARTS.filter((part) => deliveries[part] > 0);
  if (present.length === 0)
    return <span className="muted">{t('eventLog.matches', { count: matchedCount })}</span>;
  return present.map((part, i) => (
    <span key={part}>
      {i > 0 && <span className="muted"> · </span>}
      <span className={TONES[part]}>{t(`eventLog.deliveries.${part}`, { count: deliveries[part] })}</span>
    </span>
  ));
}
