import {
  NOTIFICATION_CHANNEL_KINDS,
  NOTIFICATION_EVENTS,
  NOTIFICATION_SEVERITIES,
  type NotificationChannel,
} from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Checkbox, Drawer, Flex, Form, Input, InputNumber, Select, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useFormErrors } from '../../ui/forms/use-form-errors.ts';
import { useGuardedClose } from '../../ui/forms/use-guarded-close.ts';
import { AddressFields } from './address-fields.tsx';
import {
  CHANNEL_FIELDS,
  createChannelForm,
  toChannelForm,
  toCreateRequest,
  toUpdateRequest,
  type ChannelForm,
} from './channel-form.ts';

const MAX_DIGEST_MINUTES = 1_440;

interface ChannelDrawerProps {
  /** Null for a new channel. */
  channel: NotificationChannel | null;
  onClose: () => void;
}

/** Creates or edits a channel. Secrets are write-only: an empty field keeps the stored one. */
export function ChannelDrawer({ channel, onClose }: ChannelDrawerProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<ChannelForm>();
  const { close, leave, release } = useGuardedClose(() => form.isFieldsTouched(), onClose);
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const save = useMutation({
    mutationFn: (values: ChannelForm) =>
      channel === null
        ? client.notifications.createChannel(toCreateRequest(values))
        : client.notifications.updateChannel(channel.id, toUpdateRequest(values)),
    onSuccess: async ({ name }) => {
      release();
      await queryClient.invalidateQueries({ queryKey: keys.notificationChannels });
      void message.success(t('notifications.saved', { name }));
      leave();
    },
    onError: useFormErrors(form, CHANNEL_FIELDS),
  });
  return (
    <Drawer
      open
      onClose={close}
      size={520}
      title={channel === null ? t('notifications.create') : channel.name}
      footer={
        <Flex justify="end" gap={8}>
          <Button onClick={leave}>{t('common.cancel')}</Button>
          <Button type="primary" loading={save.isPending} onClick={form.submit}>
            {t('common.save')}
          </Button>
        </Flex>
      }
    >
      <Form<ChannelForm>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={channel === null ? createChannelForm(timeZone) : toChannelForm(channel, timeZone)}
        onFinish={() => save.mutate(form.getFieldsValue(true) as ChannelForm)}
      >
        <Form.Item
          name="name"
          label={t('common.name')}
          rules={[{ required: true, whitespace: true, message: t('common.required') }]}
        >
          <Input maxLength={120} />
        </Form.Item>
        <Form.Item name="kind" label={t('notifications.kind')}>
          <Select
            disabled={channel !== null}
            options={NOTIFICATION_CHANNEL_KINDS.map((value) => ({
              value,
              label: t(`notifications.kinds.${value}`),
            }))}
          />
        </Form.Item>
        <AddressFields channel={channel} />
        <ContentFields />
        <TimeFields />
      </Form>
    </Drawer>
  );
}

/** What the channel is told. */
function ContentFields() {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name="events"
        label={t('notifications.events')}
        // A required field would be announced as such, which a group cannot be.
        rules={[{ type: 'array', min: 1, message: t('notifications.chooseEvent') }]}
      >
        <Checkbox.Group aria-label={t('notifications.events')}>
          <Flex vertical gap={6}>
            {NOTIFICATION_EVENTS.map((event) => (
              <Checkbox key={event} value={event}>
                {t(`notifications.eventTexts.${event}`)}
              </Checkbox>
            ))}
          </Flex>
        </Checkbox.Group>
      </Form.Item>
      <Form.Item name="minSeverity" label={t('notifications.minSeverity')}>
        <Select
          options={NOTIFICATION_SEVERITIES.map((value) => ({
            value,
            label: t(`notifications.severities.${value}`),
          }))}
        />
      </Form.Item>
    </>
  );
}

/** When messages are sent. */
function TimeFields() {
  const { t } = useTranslation();
  const form = Form.useFormInstance<ChannelForm>();
  const hasQuietHours = Form.useWatch<boolean | undefined>('hasQuietHours', form);
  const rules = [{ required: true, message: t('common.required') }];
  return (
    <>
      <Form.Item name="digestMinutes" label={t('notifications.digest')} extra={t('notifications.digestHint')}>
        <InputNumber min={0} max={MAX_DIGEST_MINUTES} precision={0} />
      </Form.Item>
      <Form.Item
        name="hasQuietHours"
        label={t('notifications.quietHours')}
        extra={t('notifications.quietHoursHint')}
        valuePropName="checked"
      >
        <Switch />
      </Form.Item>
      {hasQuietHours && (
        <>
          <div className="form-pair">
            <Form.Item name={['quietHours', 'from']} label={t('notifications.from')} rules={rules}>
              <Input type="time" />
            </Form.Item>
            <Form.Item name={['quietHours', 'to']} label={t('notifications.to')} rules={rules}>
              <Input type="time" />
            </Form.Item>
          </div>
          <Form.Item name={['quietHours', 'timezone']} label={t('notifications.timezone')} rules={rules}>
            <Select
              showSearch
              options={Intl.supportedValuesOf('timeZone').map((value) => ({ value, label: value }))}
            />
          </Form.Item>
        </>
      )}
    </>
  );
}
