import type { NotificationDelivery, WebhookDelivery } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/format/time.tsx';

const TONES = { PENDING: '', DELIVERED: 'success', FAILED: 'danger' } as const;
/** What the service says; all other reasons are those of servers. */
const REASONS = new Map<string | null, 'deliveries.noResponse' | 'deliveries.serviceError'>([
  ['No response', 'deliveries.noResponse'],
  ['Service error', 'deliveries.serviceError'],
]);

/** What became of a notification or a webhook, and when it is sent again. */
export function DeliveryStatus({ delivery }: { delivery: NotificationDelivery | WebhookDelivery }) {
  const { t } = useTranslation();
  const { status, attempts, dueAt, lastError } = delivery;
  const reason = REASONS.get(lastError);
  return (
    <div>
      <span className={`badge ${TONES[status]}`}>{t(`deliveries.statuses.${status}`)}</span>
      {dueAt !== null && (
        <div className="muted">
          {t('deliveries.due')} <Time iso={dueAt} />
        </div>
      )}
      {attempts > 1 && <div className="muted">{t('deliveries.attempts', { count: attempts })}</div>}
      {lastError !== null && (
        <div className="danger-text">{reason === undefined ? lastError : t(reason)}</div>
      )}
    </div>
  );
}
