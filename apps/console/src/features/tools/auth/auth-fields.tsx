import type { ToolAuthStatus } from '@platform/contracts';
import { Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { AUTH_PLACES, AUTH_TYPES, hasSecret, type AuthValues } from './auth.ts';

/** The fields of the authentication, under `auth` in the form around them. */
export function AuthFields({ stored }: { stored?: ToolAuthStatus }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const type = Form.useWatch(['auth', 'type'], form) as AuthValues['type'] | undefined;
  const required = [{ required: true, whitespace: true, message: t('common.required') }];
  return (
    <>
      <Form.Item name={['auth', 'type']} label={t('toolPages.auth')}>
        <Select options={AUTH_TYPES.map((value) => ({ value, label: t(`toolPages.authTypes.${value}`) }))} />
      </Form.Item>
      {type === 'apiKey' && (
        <Form.Item name={['auth', 'in']} label={t('toolPages.authIn')} initialValue="header">
          <Select options={AUTH_PLACES.map((value) => ({ value, label: t(`toolPages.places.${value}`) }))} />
        </Form.Item>
      )}
      {(type === 'apiKey' || type === 'header') && (
        <Form.Item name={['auth', 'name']} label={t('toolPages.authName')} rules={required}>
          <Input className="mono" placeholder="X-API-Key" autoComplete="off" />
        </Form.Item>
      )}
      {type === 'basic' && (
        <Form.Item name={['auth', 'username']} label={t('toolPages.username')} rules={required}>
          <Input className="mono" autoComplete="off" />
        </Form.Item>
      )}
      {type !== undefined && type !== 'none' && (
        <Form.Item
          name={['auth', 'secret']}
          label={t(`toolPages.secrets.${type}`)}
          extra={hasSecret(stored, type) ? t('toolPages.secretKept') : t('toolPages.secretHint')}
        >
          <Input.Password
            className="mono"
            autoComplete="new-password"
            placeholder={hasSecret(stored, type) ? '••••••••' : ''}
          />
        </Form.Item>
      )}
    </>
  );
}
