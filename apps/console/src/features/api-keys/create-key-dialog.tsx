import { Form, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';

/** Lifetimes in days; 0 means that the key does not expire. */
const LIFETIMES = [30, 90, 365, 0] as const;
const DAY_MS = 86_400_000;

interface KeyForm {
  name: string;
  days: (typeof LIFETIMES)[number];
}

/** Creates an API key and then shows it. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [key, setKey] = useState<string>();

  return (
    <DialogForm
      title={t('apiKeys.create')}
      submitText={t('apiKeys.submit')}
      fields={['name']}
      initialValues={{ name: '', days: 90 }}
      width={480}
      save={({ name, days }: KeyForm) =>
        client.apiKeys.create({
          name,
          expiresAt: days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString(),
        })
      }
      onSaved={(created) => {
        void queryClient.invalidateQueries({ queryKey: keys.apiKeys });
        setKey(created.key);
      }}
      onClose={onClose}
      secret={
        key === undefined
          ? undefined
          : {
              title: t('apiKeys.madeTitle'),
              value: key,
              label: t('apiKeys.copy'),
              warning: t('apiKeys.once'),
            }
      }
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
    </DialogForm>
  );
}
