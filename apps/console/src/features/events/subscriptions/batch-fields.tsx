import type { SubscriptionBatch } from '@platform/contracts';
import { Form, Input, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';

/** As entered. The names are those of the request, so that errors of the service find their fields. */
export interface BatchForm {
  key?: string | null;
  maxItems?: number | null;
  /** In seconds. */
  windowMs?: number | null;
}

export const BATCH_FIELDS = ['batch', 'batch.key', 'batch.maxItems', 'batch.windowMs'];

const SECOND = 1_000;
const MINUTE = 60;

export function toBatch({ key, maxItems, windowMs }: BatchForm): SubscriptionBatch | null {
  if (maxItems === undefined || maxItems === null) return null;
  const name = key?.trim() ?? '';
  return {
    maxItems,
    windowMs: Math.round((windowMs ?? MINUTE) * SECOND),
    ...(name !== '' && { key: name }),
  };
}

export function toBatchForm(batch: SubscriptionBatch | null): BatchForm {
  if (batch === null) return { windowMs: MINUTE };
  return { ...batch, windowMs: batch.windowMs / SECOND };
}

/** How many events start the task together. */
export function BatchFields() {
  const { t } = useTranslation();
  return (
    <>
      <div className="form-pair">
        <Form.Item
          name={['batch', 'maxItems']}
          label={t('subscriptions.batch')}
          extra={t('subscriptions.batchHint')}
        >
          <InputNumber min={1} max={1_000} precision={0} />
        </Form.Item>
        <Form.Item
          name={['batch', 'windowMs']}
          label={t('subscriptions.batchWindow')}
          extra={t('subscriptions.batchWindowHint')}
        >
          <InputNumber min={0.1} max={86_400} />
        </Form.Item>
      </div>
      <Form.Item
        name={['batch', 'key']}
        label={t('subscriptions.batchKey')}
        extra={t('subscriptions.batchKeyHint')}
      >
        <Input className="mono" />
      </Form.Item>
    </>
  );
}
