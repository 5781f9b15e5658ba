import { useMutation } from '@tanstack/react-query';
import { Form, Input, Modal, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { SecretOnce } from '../../ui/secret-once.tsx';
import { useFormErrors } from '../../ui/use-form-errors.ts';

/** Days that a key is good for; 0: until it is revoked. */
const LIFETIMES = [30, 90, 365, 0] as const;
const DAY_MS = 86_400_000;

interface KeyForm {
  name: string;
  days: (typeof LIFETIMES)[number];
}

/** First the form, then the key that is shown this once. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<KeyForm>();
  const showErrors = useFormErrors(form, ['name']);
  const create = useMutation({
    mutationFn: ({ name, days }: KeyForm) =>
      client.apiKeys.create({
        name,
        expiresAt: days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString(),
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.apiKeys }),
    onError: showErrors,
  });
  const made = create.data;

  return (
    <Modal
      open
      title={t(made ? 'apiKeys.madeTitle' : 'apiKeys.create')}
      okText={made ? t('common.done') : t('apiKeys.submit')}
      cancelText={t('common.cancel')}
      // The key cannot be fetched again: a stray click or key press must not take it away.
      mask={{ closable: made === undefined }}
      keyboard={made === undefined}
      cancelButtonProps={made && { style: { display: 'none' } }}
      onOk={made ? onClose : form.submit}
      onCancel={onClose}
      confirmLoading={create.isPending}
      afterOpenChange={(opened) => opened && form.focusField('name')}
      width={480}
    >
      {made ? (
        <SecretOnce value={made.key} label={t('apiKeys.copy')} warning={t('apiKeys.once')} />
      ) : (
        <Form
          form={form}
          layout="vertical"
          requiredMark={false}
          initialValues={{ name: '', days: 90 }}
          onFinish={(values) => create.mutate(values)}
        >
          <Form.Item
            name="name"
            label={t('common.name')}
            extra={t('apiKeys.nameHint')}
            rules={[{ required: true, whitespace: true, message: t('common.required') }]}
          >
            <Input maxLength={120} />
          </Form.Item>
          <Form.Item name="days" label={t('apiKeys.expires')}>
            <Select
              options={LIFETIMES.map((days) => ({
                value: days,
                label: days === 0 ? t('apiKeys.noExpiry') : t('apiKeys.days', { count: days }),
              }))}
            />
          </Form.Item>
        </Form>
      )}
    </Modal>
  );
}
