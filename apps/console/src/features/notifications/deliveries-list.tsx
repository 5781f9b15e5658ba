import { NOTIFICATION_DELIVERY_STATUSES, type NotificationDelivery } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { Time } from '../../ui/format/time.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';
import { useList } from '../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { DeliveryStatus } from '../deliveries/delivery-status.tsx';
import { SendAgain } from '../deliveries/send-again.tsx';
import { StatusFilter } from '../deliveries/status-filter.tsx';
import { SavedViews } from '../views/saved-views.tsx';

const DeliveryDrawer = lazyPart(() =>
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
        <StatusFilter value={status} onChange={setStatus} />
        <SavedViews page="notification-deliveries" />
      </div>
      <DataList
        label={t('notifications.deliveries')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => open(id)}
        empty={
          status === undefined ? (
            <EmptyState title={t('notifications.noDeliveries')} text={t('notifications.noDeliveriesText')} />
          ) : (
            <EmptyState title={t('deliveries.noMatch')} />
          )
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
  const { data: channels, isError } = useQuery({
    queryKey: [...keys.notificationChannels, 'all'],
    queryFn: () => loadAllItems((page) => client.notifications.listChannels(page)),
  });
  const nameOf = (channelId: string) => {
    if (channels === undefined) return isError ? channelId : '…';
    return channels.find(({ id }) => id === channelId)?.name ?? t('notifications.deletedChannel');
  };
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
      title: t('deliveries.status'),
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
      render: ({ id, status, isTest }) =>
        status === 'PENDING' || isTest ? null : (
          <SendAgain
            size="small"
            send={() => client.notifications.resend(id)}
            queryKey={keys.notificationDeliveries}
          />
        ),
    },
  ];
}
