import type { WebhookDelivery } from '@platform/contracts';
import { Tag } from 'antd';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { findPeriodStart, type Period } from '../../ui/format/periods.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import type { Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { DeliveryTable } from '../deliveries/delivery-table.tsx';
import { RetryWebhook } from './retry-webhook.tsx';

const WebhookDrawer = lazyPart(() =>
  import('./webhook-drawer.tsx').then((module) => ({ default: module.WebhookDrawer })),
);
const PERIODS = ['1h', '24h', '7d'] as const satisfies Period[];

/** What was sent to the webhooks of jobs, and what waits. */
export function WebhookDeliveries() {
  const { t } = useTranslation();
  const [period, setPeriod] = useSearchFilter('time', PERIODS);
  const [jobId, setJobId] = useSearchFilter('jobId');
  // The same for all pages, because cursors belong to one query.
  const from = useMemo(() => period && findPeriodStart(period, Date.now()), [period]);
  const filter = { ...(from && { from }), ...(jobId && { jobId }) };
  const columns = useColumns();
  return (
    <DeliveryTable<WebhookDelivery>
      page="webhook-deliveries"
      label={t('webhooks.deliveries')}
      queryKey={keys.webhookDeliveries}
      fetchPage={(query) => client.webhooks.listDeliveries(query)}
      filter={filter}
      empty={<EmptyState title={t('webhooks.noDeliveries')} text={t('webhooks.noDeliveriesText')} />}
      columns={columns}
      renderAgain={(delivery) => <RetryWebhook delivery={delivery} size="small" />}
      Details={WebhookDrawer}
    >
      <FilterSelect
        label={t('webhooks.time')}
        any={t('webhooks.anyTime')}
        value={period}
        onChange={setPeriod}
        options={PERIODS.map((value) => ({ value, label: t(`common.periods.${value}`) }))}
        width={150}
      />
      {jobId !== undefined && (
        <Tag closable onClose={() => setJobId(undefined)}>
          {t('webhooks.onlyJob', { id: shortId(jobId) })}
        </Tag>
      )}
    </DeliveryTable>
  );
}

/** The end of an id: those of one minute begin alike. */
const shortId = (id: string) => `…${id.slice(-8)}`;

function useColumns(): (open: (deliveryId: string) => void) => Column<WebhookDelivery>[] {
  const { t } = useTranslation();
  return (open) => [
    {
      key: 'message',
      title: t('webhooks.message'),
      render: ({ id, type, url }) => (
        <button type="button" className="link-button" onClick={() => open(id)}>
          <span className="primary-link mono">{type}</span>
          <div className="muted webhook-url">{url}</div>
        </button>
      ),
    },
    {
      key: 'job',
      title: t('webhooks.job'),
      width: 190,
      render: ({ jobId, user }) => (
        <div>
          <span className="mono" title={jobId}>
            {shortId(jobId)}
          </span>
          <div className="muted">{user?.name ?? t('common.formerMember')}</div>
        </div>
      ),
    },
  ];
}
