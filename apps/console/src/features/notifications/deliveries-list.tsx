import type { NotificationDelivery } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { loadAllItems } from '../../ui/lists/load-all-items.ts';
import { DeliveryTable } from '../deliveries/delivery-table.tsx';
import { SendAgain } from '../deliveries/send-again.tsx';

const DeliveryDrawer = lazyPart(() =>
  import('./delivery-drawer.tsx').then((module) => ({ default: module.DeliveryDrawer })),
);

/** What was sent to the channels, and what waits. */
export function DeliveriesList() {
  const { t } = useTranslation();
  const nameOf = useChannelNames();
  return (
    <DeliveryTable<NotificationDelivery>
      page="notification-deliveries"
      label={t('notifications.deliveries')}
      queryKey={keys.notificationDeliveries}
      fetchPage={(query) => client.notifications.listDeliveries(query)}
      empty={
        <EmptyState title={t('notifications.noDeliveries')} text={t('notifications.noDeliveriesText')} />
      }
      columns={(open) => [
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
      ]}
      renderAgain={({ id, status, isTest }) =>
        status === 'PENDING' || isTest ? null : (
          <SendAgain
            size="small"
            send={() => client.notifications.resend(id)}
            queryKey={keys.notificationDeliveries}
          />
        )
      }
      Details={DeliveryDrawer}
    />
  );
}

function useChannelNames(): (channelId: string) => string {
  const { t } = useTranslation();
  const { data: channels, isError } = useQuery({
    queryKey: [...keys.notificationChannels, 'all'],
    queryFn: () => loadAllItems((page) => client.notifications.listChannels(page)),
  });
  return (channelId) => {
    if (channels === undefined) return isError ? channelId : '…';
    return channels.find(({ id }) => id === channelId)?.name ?? t('notifications.deletedChannel');
  };
}
