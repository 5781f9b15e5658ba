import { WEBHOOK_DELIVERY_STATUSES, type WebhookDelivery } from '@platform/contracts';
import { Tag } from 'antd';
import { Suspense, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { findPeriodStart, type Period } from '../../ui/format/periods.ts';
import { Time } from '../../ui/format/time.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { DeliveryStatus } from '../deliveries/delivery-status.tsx';
import { StatusFilter } from '../deliveries/status-filter.tsx';
import { SavedViews } from '../views/saved-views.tsx';
import { RetryWebhook } from './retry-webhook.tsx';

const WebhookDrawer = lazyPart(() =>
  import('./webhook-drawer.tsx').then((module) => ({ default: module.WebhookDrawer })),
);
const PERIODS = ['1h', '24h', '7d'] as const satisfies Period[];

/** What was sent to the webhooks of jobs, and what waits. */
export function WebhookDeliveries() {
  const { t } = useTranslation();
  const [status, setStatus] = useSearchFilter('status', WEBHOOK_DELIVERY_STATUSES);
  const [period, setPeriod] = useSearchFilter('time', PERIODS);
  const [jobId, setJobId] = useSearchFilter('jobId');
  const [opened, open, close] = useDrawerParam('delivery');
  // The same for all pages, because cursors belong to one query.
  const from = useMemo(() => period && findPeriodStart(period, Date.now()), [period]);
  const filter = { ...(status && { status }), ...(from && { from }), ...(jobId && { jobId }) };
  const list = useList<WebhookDelivery>([...keys.webhookDeliveries, filter], (page) =>
    client.webhooks.listDeliveries({ ...page, ...filter }),
  );
  const columns = useColumns(open);
  return (
    <>
      <div className="toolbar">
        <StatusFilter value={status} onChange={setStatus} />
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
        <SavedViews page="webhook-deliveries" />
      </div>
      <DataList
        label={t('webhooks.deliveries')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => open(id)}
        empty={
          Object.keys(filter).length > 0 ? (
            <EmptyState title={t('deliveries.noMatch')} />
          ) : (
            <EmptyState title={t('webhooks.noDeliveries')} text={t('webhooks.noDeliveriesText')} />
          )
        }
      />
      {opened !== undefined && (
        <Suspense>
          <WebhookDrawer deliveryId={opened} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** The end of an id: those of one minute begin alike. */
const shortId = (id: string) => `…${id.slice(-8)}`;

function useColumns(open: (deliveryId: string) => void): Column<WebhookDelivery>[] {
  const { t } = useTranslation();
  return [
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
        <div className="block">
          <span className="mono" title={jobId}>
            {shortId(jobId)}
          </span>
          <div className="muted">{user?.name ?? t('common.formerMember')}</div>
        </div>
      ),
    },
    {
      key: 'status',
      title: t('deliveries.status'),
      width: 170,
      render: (delivery) => <DeliveryStatus delivery={delivery} />,
    },
    {
      key: 'created',
      title: t('deliveries.created'),
      width: 130,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 120,
      render: (delivery) => <RetryWebhook delivery={delivery} size="small" />,
    },
  ];
}
