import type { ToolAuth, ToolAuthStatus } from '@platform/contracts';
import { Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { hasSecret } from './auth.ts';
import { AUTH_KINDS } from './auth-kinds.ts';

/** The fields of the authentication, under `auth` in the form around them. */
export function AuthFields({ stored }: { stored?: ToolAuthStatus }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const type = (Form.useWatch(['auth', 'type'], form) as ToolAuth['type'] | undefined) ?? 'none';
  const kind = AUTH_KINDS[type];
  const isStored = hasSecret(stored, type);
  return (
    <>
      <Form.Item name={['auth', 'type']} label={t('toolPages.auth')}>
        <Select
          options={Object.values(AUTH_KINDS).map(({ kind: value }) => ({
            value,
            label: t(`toolPages.authTypes.${value}`),
          }))}
        />
      </Form.Item>
      <kind.Fields />
      {kind.secretLabel !== null && (
        <Form.Item
          name={['auth', 'secret']}
          label={t(kind.secretLabel)}
          extra={isStored ? t('toolPages.secretKept') : t('toolPages.secretHint')}
        >
          <Input.Password
            className="mono"
            autoComplete="new-password"
            placeholder={isStored ? '••••••••' : ''}
          />
        </Form.Item>
      )}
    </>
  );
}
