import { NOTIFICATION_DELIVERY_STATUSES, type NotificationDelivery } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { Time } from '../../ui/format/time.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { DeliveryStatus } from './delivery-status.tsx';

const DeliveryDrawer = lazy(() =>
  import('./delivery-drawer.tsx').then((module) => ({ default: module.DeliveryDrawer })),
);

/** What was sent, and what waits. */
export function DeliveriesList() {
  const { t } = useTranslation();
  const [status, setStatus] = useSearchFilter('status', NOTIFICATION_DELIVERY_STATUSES);
  const [opened, open, close] = useDrawerParam('delivery');
  const list = useList<NotificationDelivery>([...keys.notificationDeliveries, status], (page) =>
    client.notifications.listDeliveries({ ...page, ...(status && { status }) }),
  );
  const columns = useColumns(open);
  return (
    <>
      <div className="toolbar">
        <FilterSelect
          label={t('notifications.status')}
          any={t('notifications.anyStatus')}
          value={status}
          onChange={setStatus}
          options={NOTIFICATION_DELIVERY_STATUSES.map((value) => ({
            value,
            label: t(`notifications.statuses.${value}`),
          }))}
        />
      </div>
      <DataList
        label={t('notifications.deliveries')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => open(id)}
        empty={
          <EmptyState title={t('notifications.noDeliveries')} text={t('notifications.noDeliveriesText')} />
        }
      />
      {opened !== undefined && (
        <Suspense>
          <DeliveryDrawer deliveryId={opened} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function useColumns(open: (deliveryId: string) => void): Column<NotificationDelivery>[] {
  const { t } = useTranslation();
  const channels = useList(keys.notificationChannels, (page) => client.notifications.listChannels(page));
  const nameOf = (channelId: string) =>
    channels.items.find(({ id }) => id === channelId)?.name ?? t('notifications.deletedChannel');
  return [
    {
      key: 'channel',
      title: t('notifications.channel'),
      render: ({ id, channelId, isTest, count }) => (
        <button type="button" className="link-button" onClick={() => open(id)}>
          <span className="primary-link">{nameOf(channelId)}</span>
          <div className="muted">
            {isTest ? t('notifications.isTest') : t('notifications.count', { count })}
          </div>
        </button>
      ),
    },
    {
      key: 'status',
      title: t('notifications.status'),
      render: (delivery) => <DeliveryStatus delivery={delivery} />,
    },
    {
      key: 'created',
      title: t('notifications.created'),
      width: 130,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
    { key: 'actions', title: '', width: 120, render: (delivery) => <Resend delivery={delivery} /> },
  ];
}

function Resend({ delivery: { id, status, isTest } }: { delivery: NotificationDelivery }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const resend = useMutation({
    mutationFn: () => client.notifications.resend(id),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: keys.notificationDeliveries });
      void message.success(t('notifications.resent'));
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  if (status === 'PENDING' || isTest) return null;
  return (
    <Button
      size="small"
      loading={resend.isPending}
      onClick={(event) => {
        // The row opens the delivery.
        event.stopPropagation();
        resend.mutate();
      }}
    >
      {t('notifications.resend')}
    </Button>
  );
}
