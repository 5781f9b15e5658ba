import { KEY_SCOPES, type KeyScope } from '@platform/contracts';
import { Checkbox, Flex, Form, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useIsAdmin } from '../auth/session.ts';
import './api-keys.css';
import { DialogForm } from '../../ui/forms/dialog-form.tsx';

/** Lifetimes in days; 0 means that the key does not expire. */
const LIFETIMES = [30, 90, 365, 0] as const;
const DAY_MS = 86_400_000;

interface KeyForm {
  name: string;
  scopes: KeyScope[];
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
      fields={['name', 'scopes']}
      initialValues={{ name: '', scopes: ['invoke'], days: 90 }}
      width={520}
      save={({ name, scopes, days }: KeyForm) =>
        client.apiKeys.create({
          name,
          scopes,
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
      <ScopesField />
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

/** The scopes that the user can give, each with what it allows. */
function ScopesField() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const scopes = KEY_SCOPES.filter((scope) => isAdmin || scope !== 'administer');
  return (
    <Form.Item
      name="scopes"
      label={t('apiKeys.scopes')}
      extra={t('apiKeys.scopesHint')}
      rules={[{ required: true, message: t('apiKeys.chooseScope') }]}
    >
      <Checkbox.Group aria-label={t('apiKeys.scopes')}>
        <Flex vertical gap={8}>
          {scopes.map((scope) => (
            <Checkbox key={scope} value={scope} className="scope">
              {t(`apiKeys.scope.${scope}`)}
              <div className="muted">{t(`apiKeys.scopeText.${scope}`)}</div>
            </Checkbox>
          ))}
        </Flex>
      </Checkbox.Group>
    </Form.Item>
  );
}
