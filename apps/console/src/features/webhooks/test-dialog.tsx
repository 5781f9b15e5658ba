import type { WebhookTest } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Alert, Form, Input, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { formatDuration } from '../../ui/format/duration.ts';
import { useGuardedClose } from '../../ui/forms/use-guarded-close.ts';
import { useFormErrors } from '../../ui/forms/use-form-errors.ts';
import { DeliveryText } from '../deliveries/delivery-text.tsx';
import { toRequestText } from '../deliveries/request-text.ts';
import { nameOutcome, Outcome } from './attempt-list.tsx';

/** Sends a test message to an address, again and again, and shows what happened. */
export function TestDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ url: string }>();
  const test = useMutation({
    mutationFn: ({ url }: { url: string }) => client.webhooks.test({ url: url.trim() }),
    // The first message of a space creates its secret.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.webhookSecret }),
    onError: useFormErrors(form, ['url']),
  });
  const isSent = () => test.isSuccess && test.variables.url === form.getFieldValue('url');
  const { close, leave } = useGuardedClose(() => form.isFieldsTouched() && !isSent(), onClose);
  return (
    <Modal
      open
      title={t('webhooks.test.title')}
      okText={t('webhooks.test.send')}
      cancelText={t('webhooks.test.close')}
      onOk={form.submit}
      cancelButtonProps={{ onClick: leave }}
      onCancel={close}
      confirmLoading={test.isPending}
      afterOpenChange={(opened) => opened && form.focusField('url')}
      width={620}
    >
      <Form form={form} layout="vertical" requiredMark={false} onFinish={(values) => test.mutate(values)}>
        <Form.Item
          name="url"
          label={t('webhooks.test.url')}
          extra={t('webhooks.test.text')}
          rules={[{ required: true, whitespace: true, message: t('webhooks.test.urlMissing') }]}
        >
          <Input
            type="url"
            placeholder="https://shop.example.com/hooks/jobs"
            autoComplete="url"
            maxLength={2_000}
          />
        </Form.Item>
      </Form>
      <div className="stack" role="status">
        {test.data !== undefined && <TestResult result={test.data} />}
      </div>
    </Modal>
  );
}

function TestResult({ result }: { result: WebhookTest }) {
  const { t, i18n } = useTranslation();
  const { outcome, isBlocked, durationMs, request, response } = result;
  const isAccepted = outcome === 'ACCEPTED';
  const status = nameOutcome(t, outcome, response);
  const duration = formatDuration(durationMs, i18n.language);
  return (
    <>
      <Alert
        type={isAccepted ? 'success' : 'error'}
        showIcon
        title={isAccepted ? t('webhooks.test.accepted') : t('webhooks.test.refused')}
        description={`${status} · ${duration}`}
      />
      <Outcome outcome={outcome} response={response} />
      {isBlocked && <p className="muted">{t('webhooks.reasons.blocked')}</p>}
      <DeliveryText title={t('webhooks.test.sent')} text={toRequestText(request)} />
    </>
  );
}
