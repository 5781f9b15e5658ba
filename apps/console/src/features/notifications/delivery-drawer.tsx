import type { NotificationDeliveryDetail } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { Time } from '../../ui/format/time.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { DeliveryStatus } from '../deliveries/delivery-status.tsx';
import { DeliveryText } from '../deliveries/delivery-text.tsx';

/** What a message told, with the request and the response of its last attempt. All of it is foreign text. */
export function DeliveryDrawer({ deliveryId, onClose }: { deliveryId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const delivery = useQuery({
    queryKey: [...keys.notificationDeliveries, 'one', deliveryId],
    queryFn: () => client.notifications.getDelivery(deliveryId),
  });
  return (
    <Drawer open onClose={onClose} size={620} title={t('notifications.delivery')}>
      <Loaded query={delivery}>{(loaded) => <DeliveryDetails delivery={loaded} />}</Loaded>
    </Drawer>
  );
}

function DeliveryDetails({ delivery }: { delivery: NotificationDeliveryDetail }) {
  const { t } = useTranslation();
  const { request, response, notifications } = delivery;
  return (
    <div className="stack">
      <DeliveryStatus delivery={delivery} />
      <ul className="stack">
        {notifications.map(({ id, event, text, at }) => (
          <li key={id}>
            <div>{text}</div>
            <span className="muted">
              <span className="mono">{event}</span> · <Time iso={at} />
            </span>
          </li>
        ))}
      </ul>
      {request && (
        <DeliveryText
          title={t('deliveries.request')}
          text={[`${request.method} ${request.url}`, request.body].join('\n\n')}
        />
      )}
      {response && (
        <DeliveryText
          title={t('deliveries.response')}
          text={[response.status, response.body].join('\n\n').trim()}
        />
      )}
    </div>
  );
}
