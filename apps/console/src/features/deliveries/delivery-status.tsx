import type { NotificationDelivery, WebhookDelivery } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/format/time.tsx';

const TONES = { PENDING: '', DELIVERED: 'success', FAILED: 'danger' } as const;
/** Of the service; all other reasons are those of servers. */
const NO_RESPONSE = 'No response';

/** What became of a notification or a webhook, and when it is sent again. */
export function DeliveryStatus({ delivery }: { delivery: NotificationDelivery | WebhookDelivery }) {
  const { t } = useTranslation();
  const { status, attempts, dueAt, lastError } = delivery;
  return (
    <div className="block">
      <span className={`badge ${TONES[status]}`}>{t(`deliveries.statuses.${status}`)}</span>
      {dueAt !== null && (
        <div className="muted">
          {t('deliveries.due')} <Time iso={dueAt} />
        </div>
      )}
      {attempts > 1 && <div className="muted">{t('deliveries.attempts', { count: attempts })}</div>}
      {lastError !== null && (
        <div className="danger-text">
          {lastError === NO_RESPONSE ? t('deliveries.noResponse') : lastError}
        </div>
      )}
    </div>
  );
}
