import type { NotificationDelivery } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/format/time.tsx';

const TONES = { PENDING: '', DELIVERED: 'success', FAILED: 'danger' } as const;

export function DeliveryStatus({ delivery }: { delivery: NotificationDelivery }) {
  const { t } = useTranslation();
  const { status, attempts, dueAt, lastError } = delivery;
  return (
    <>
      <span className={`badge ${TONES[status]}`}>{t(`notifications.statuses.${status}`)}</span>
      {dueAt !== null && (
        <div className="muted">
          {t('notifications.due')} <Time iso={dueAt} />
        </div>
      )}
      {attempts > 1 && <div className="muted">{t('notifications.attempts', { count: attempts })}</div>}
      {lastError !== null && <div className="danger-text">{lastError}</div>}
    </>
  );
}
