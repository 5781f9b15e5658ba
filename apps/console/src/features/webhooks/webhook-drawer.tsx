import type { WebhookDeliveryDetail } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/code/copy-button.tsx';
import { formatBytes } from '../../ui/format/bytes.ts';
import { Time } from '../../ui/format/time.tsx';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { useSession } from '../auth/session.ts';
import { DeliveryStatus } from '../deliveries/delivery-status.tsx';
import { DeliveryText } from '../deliveries/delivery-text.tsx';
import { toRequestText } from '../deliveries/request-text.ts';
import { AttemptList } from './attempt-list.tsx';
import { RetryWebhook } from './retry-webhook.tsx';

/** A message to a webhook, and its attempts with what the server responded. */
export function WebhookDrawer({ deliveryId, onClose }: { deliveryId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const delivery = useQuery({
    queryKey: keys.webhookDelivery(deliveryId),
    queryFn: () => client.webhooks.getDelivery(deliveryId),
  });
  return (
    <Drawer
      open
      onClose={onClose}
      size={620}
      title={t('webhooks.delivery')}
      extra={delivery.data && <RetryWebhook delivery={delivery.data} />}
    >
      <Loaded query={delivery}>{(loaded) => <DeliveryDetails delivery={loaded} />}</Loaded>
    </Drawer>
  );
}

function DeliveryDetails({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const { t } = useTranslation();
  const me = useSession().user.id;
  const { id, type, jobId, user, createdAt, lastAttempts } = delivery;
  const name = user?.name ?? t('common.formerMember');
  return (
    <div className="stack">
      <DeliveryStatus delivery={delivery} />
      <Facts>
        <Fact name={t('webhooks.message')}>
          <span className="mono">{type}</span> · <Time iso={createdAt} />
        </Fact>
        <Fact name="webhook-id">
          <span className="mono">{id}</span>{' '}
          <CopyButton
            text={id}
            label={t('common.copyNamed', { name: 'webhook-id' })}
            size="small"
            type="text"
          />
        </Fact>
        <Fact name={t('webhooks.job')}>
          {user?.id === me ? (
            <Link to={paths.job(jobId)}>{jobId}</Link>
          ) : (
            <span className="mono">{jobId}</span>
          )}
          <div>
            <Link to={paths.webhooksOfJob(jobId)}>{t('webhooks.ofJob')}</Link>
          </div>
        </Fact>
        <Fact name={t('webhooks.ownerOf')}>{name}</Fact>
      </Facts>
      <Request request={delivery.request} isOwn={user?.id === me} />
      <AttemptList attempts={lastAttempts} />
    </div>
  );
}

function Request({ request, isOwn }: { request: WebhookDeliveryDetail['request']; isOwn: boolean }) {
  const { t, i18n } = useTranslation();
  const { body, bodyBytes } = request;
  const isCut = bodyBytes !== null && body !== null && body.endsWith('…');
  return (
    <div>
      <DeliveryText title={t('deliveries.request')} text={toRequestText(request)} />
      <p className="muted webhook-note">
        {t('webhooks.signatureNotKept')}
        {isCut && ` ${t('webhooks.bodySize', { size: formatBytes(bodyBytes, i18n.language) })}`}
        {bodyBytes === null && ` ${t('webhooks.bodyGone')}`}
        {bodyBytes !== null && !isOwn && ` ${t('webhooks.bodyWithheld')}`}
      </p>
    </div>
  );
}
