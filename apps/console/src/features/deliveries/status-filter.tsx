import { WEBHOOK_DELIVERY_STATUSES, type WebhookDeliveryStatus } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';

interface StatusFilterProps {
  value: WebhookDeliveryStatus | undefined;
  onChange: (value: WebhookDeliveryStatus | undefined) => void;
}

/** Filters deliveries of notifications and of webhooks, which have the same statuses. */
export function StatusFilter({ value, onChange }: StatusFilterProps) {
  const { t } = useTranslation();
  return (
    <FilterSelect
      label={t('deliveries.status')}
      any={t('deliveries.anyStatus')}
      value={value}
      onChange={onChange}
      options={WEBHOOK_DELIVERY_STATUSES.map((status) => ({
        value: status,
        label: t(`deliveries.statuses.${status}`),
      }))}
    />
  );
}
