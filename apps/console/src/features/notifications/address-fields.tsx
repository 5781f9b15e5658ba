import { SMTP_SECURITIES, type NotificationChannel } from '@platform/contracts';
import { Form, Input, InputNumber, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { CHATS, SIGNED, type ChannelForm } from './channel-form.ts';

const URL_EXAMPLE = 'https://example.com/hooks/platform';
const MAX_PORT = 65_535;

/** Where the messages go. */
export function AddressFields({ channel }: { channel: NotificationChannel | null }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<ChannelForm>();
  const kind = Form.useWatch<ChannelForm['kind'] | undefined>('kind', form) ?? channel?.kind ?? 'webhook';
  if (kind === 'email') return <MailFields channel={channel} />;
  const isKept = channel !== null && CHATS.includes(kind);
  return (
    <>
      <Form.Item
        name="url"
        label={t('notifications.url')}
        extra={
          isKept
            ? t('notifications.urlKept', { origin: channel.url })
            : t(kind === 'webhook' ? 'notifications.webhookHint' : 'notifications.chatHint')
        }
        rules={isKept ? [] : [{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input className="mono" maxLength={2_000} placeholder={isKept ? '' : URL_EXAMPLE} />
      </Form.Item>
      {SIGNED.includes(kind) && (
        <Form.Item
          name="secret"
          label={t('notifications.secret')}
          extra={t(channel?.secretConfigured ? 'notifications.secretKept' : 'notifications.secretHint')}
        >
          <Input.Password className="mono" maxLength={500} autoComplete="new-password" />
        </Form.Item>
      )}
    </>
  );
}

function MailFields({ channel }: { channel: NotificationChannel | null }) {
  const { t } = useTranslation();
  const rules = [{ required: true, message: t('common.required') }];
  return (
    <>
      <div className="form-pair">
        <Form.Item name={['smtp', 'host']} label={t('notifications.smtp.host')} rules={rules}>
          <Input className="mono" maxLength={253} />
        </Form.Item>
        <Form.Item name={['smtp', 'port']} label={t('notifications.smtp.port')} rules={rules}>
          <InputNumber min={1} max={MAX_PORT} precision={0} style={{ width: '100%' }} />
        </Form.Item>
      </div>
      <Form.Item name={['smtp', 'security']} label={t('notifications.smtp.security')}>
        <Select
          options={SMTP_SECURITIES.map((value) => ({
            value,
            label: t(`notifications.smtp.securities.${value}`),
          }))}
        />
      </Form.Item>
      <Form.Item name={['smtp', 'from']} label={t('notifications.smtp.from')} rules={rules}>
        <Input type="email" />
      </Form.Item>
      <Form.Item name={['smtp', 'to']} label={t('notifications.smtp.to')} rules={rules}>
        <Select mode="tags" open={false} suffix={null} tokenSeparators={[',', ' ']} />
      </Form.Item>
      <div className="form-pair">
        <Form.Item name={['smtp', 'username']} label={t('notifications.smtp.username')}>
          <Input maxLength={500} autoComplete="off" />
        </Form.Item>
        <Form.Item
          name={['smtp', 'password']}
          label={t('notifications.smtp.password')}
          extra={channel?.smtp?.passwordConfigured && t('notifications.smtp.passwordKept')}
        >
          <Input.Password maxLength={1_000} autoComplete="new-password" />
        </Form.Item>
      </div>
    </>
  );
}
