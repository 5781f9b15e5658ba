import type { WebhookDelivery } from '@platform/contracts';
import { client, keys } from '../../api.ts';
import { SendAgain } from '../deliveries/send-again.tsx';

/** Sends a delivery that was given up again, once however often it is clicked. */
export function RetryWebhook({ delivery, size }: { delivery: WebhookDelivery; size?: 'small' }) {
  const { id, status, attempts } = delivery;
  if (status !== 'FAILED') return null;
  return (
    <SendAgain
      {...(size && { size })}
      send={() => client.webhooks.retry(id, { attempts })}
      queryKey={keys.webhookDeliveries}
    />
  );
}
