import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { AuthTextField } from './auth-text-field.tsx';
import type { AuthKind } from './auth-kind.ts';

const PLACES = ['header', 'query', 'cookie'] as const;

export const apiKeyAuth: AuthKind<'apiKey'> = {
  kind: 'apiKey',
  secretLabel: 'toolPages.secrets.apiKey',
  toValues: ({ in: place, name }) => ({ in: place, name }),
  toAuth: ({ in: place, name = '' }, secret) => ({
    type: 'apiKey',
    in: PLACES.find((one) => one === place) ?? 'header',
    name,
    ...(secret !== undefined && { value: secret }),
  }),
  Fields,
};

function Fields() {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item name={['auth', 'in']} label={t('toolPages.authIn')} initialValue="header">
        <Select options={PLACES.map((value) => ({ value, label: t(`toolPages.places.${value}`) }))} />
      </Form.Item>
      <AuthTextField name="name" labelKey="toolPages.authName" placeholder="X-API-Key" />
    </>
  );
}
