import {
  WEBHOOK_DELIVERY_STATUSES,
  type NotificationDelivery,
  type Page,
  type PageQuery,
  type SavedViewPage,
  type WebhookDelivery,
  type WebhookDeliveryStatus,
} from '@platform/contracts';
import { Suspense, type ComponentType, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/format/time.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { SavedViews } from '../views/saved-views.tsx';
import { DeliveryStatus } from './delivery-status.tsx';

interface DeliveryTableProps<D> {
  page: SavedViewPage;
  label: string;
  queryKey: readonly string[];
  fetchPage: (query: PageQuery & { status?: WebhookDeliveryStatus }) => Promise<Page<D>>;
  /** What `fetchPage` filters by beside the status. */
  filter?: object;
  /** The fields of that filter. */
  children?: ReactNode;
  /** What is shown if nothing was sent. */
  empty: ReactNode;
  /** What was sent to whom. The first column opens the delivery, like its row. */
  columns: (open: (deliveryId: string) => void) => Column<D>[];
  /** The button that sends a delivery again. */
  renderAgain: (delivery: D) => ReactNode;
  Details: ComponentType<{ deliveryId: string; onClose: () => void }>;
}

/** What was sent, and what waits: notifications or webhooks, which have the same statuses. */
export function DeliveryTable<D extends NotificationDelivery | WebhookDelivery>(
  props: DeliveryTableProps<D>,
) {
  const { page, label, queryKey, fetchPage, filter = {}, Details } = props;
  const { t } = useTranslation();
  const [status, setStatus] = useSearchFilter('status', WEBHOOK_DELIVERY_STATUSES);
  const [opened, open, close] = useDrawerParam('delivery');
  const query = { ...filter, ...(status && { status }) };
  const list = useList<D>([...queryKey, query], (next) => fetchPage({ ...next, ...query }));
  const columns: Column<D>[] = [
    ...props.columns(open),
    {
      key: 'status',
      title: t('deliveries.status'),
      width: 200,
      render: (delivery) => <DeliveryStatus delivery={delivery} />,
    },
    {
      key: 'created',
      title: t('deliveries.created'),
      width: 130,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
    { key: 'actions', title: '', width: 120, render: props.renderAgain },
  ];
  return (
    <>
      <div className="toolbar">
        <FilterSelect
          label={t('deliveries.status')}
          any={t('deliveries.anyStatus')}
          value={status}
          onChange={setStatus}
          options={WEBHOOK_DELIVERY_STATUSES.map((value) => ({
            value,
            label: t(`deliveries.statuses.${value}`),
          }))}
        />
        {props.children}
        <SavedViews page={page} />
      </div>
      <DataList
        label={label}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => open(id)}
        empty={Object.keys(query).length > 0 ? <EmptyState title={t('deliveries.noMatch')} /> : props.empty}
      />
      {opened !== undefined && (
        <Suspense>
          <Details deliveryId={opened} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
