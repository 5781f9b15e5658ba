import type { SubscriptionDebounce } from '@platform/contracts';
import { Form, Input, InputNumber } from 'antd';
import { useTranslation } from 'react-i18next';

/** As entered. The names are those of the request, so that errors of the service find their fields. */
export interface DebounceForm {
  key?: string | null;
  /** In seconds. */
  windowMs?: number | null;
}

const SECOND = 1_000;

export function toDebounce({ key, windowMs }: DebounceForm): SubscriptionDebounce | null {
  if (windowMs === undefined || windowMs === null) return null;
  const name = key?.trim() ?? '';
  return { windowMs: Math.round(windowMs * SECOND), ...(name !== '' && { key: name }) };
}

export function toDebounceForm(debounce: SubscriptionDebounce | null): DebounceForm {
  return debounce === null ? {} : { key: debounce.key ?? null, windowMs: debounce.windowMs / SECOND };
}

/** How long an event must have been quiet before the last one starts the task. */
export function DebounceFields() {
  const { t } = useTranslation();
  return (
    <div className="form-pair">
      <Form.Item
        name={['debounce', 'windowMs']}
        label={t('subscriptions.debounce')}
        extra={t('subscriptions.debounceHint')}
      >
        <InputNumber min={0.1} max={86_400} />
      </Form.Item>
      <Form.Item
        name={['debounce', 'key']}
        label={t('subscriptions.debounceKey')}
        extra={t('subscriptions.debounceKeyHint')}
      >
        <Input className="mono" />
      </Form.Item>
    </div>
  );
}
