import {
  CONNECTION_PROVIDER_KINDS,
  OAUTH_CLIENT_AUTHS,
  OAUTH_TOKEN_FORMATS,
  PLACEMENTS,
  type ConnectionPreset,
  type ConnectionProvider,
} from '@platform/contracts';
import { Collapse, Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ProviderValues } from './provider-form.ts';

interface ProviderFieldsProps {
  provider: ConnectionProvider | null;
  preset: ConnectionPreset | null;
}

/** The fields of a provider, in the form around them. */
export function ProviderFields({ provider, preset }: ProviderFieldsProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance<ProviderValues>();
  const kind = Form.useWatch('kind', form) as ProviderValues['kind'] | undefined;
  const required = [{ required: true, whitespace: true, message: t('common.required') }];
  return (
    <>
      <Form.Item name="name" label={t('connections.provider.name')} rules={required}>
        <Input />
      </Form.Item>
      <Form.Item name="kind" label={t('connections.provider.kind')}>
        <Select
          disabled={provider !== null}
          options={CONNECTION_PROVIDER_KINDS.map((value) => ({
            value,
            label: t(`connections.providerKinds.${value}`),
          }))}
        />
      </Form.Item>
      {(kind === 'key' || kind === 'header') && <PlacementFields kind={kind} />}
      {kind === 'oauth2' && <ClientFields provider={provider} preset={preset} />}
      <Form.Item
        name="origins"
        label={t('connections.provider.origins')}
        extra={t('connections.provider.originsHint')}
        rules={required}
      >
        <Input.TextArea
          className="mono"
          autoSize={{ minRows: 1, maxRows: 6 }}
          placeholder="https://api.github.com"
        />
      </Form.Item>
      <Form.Item
        name="testUrl"
        label={t('connections.provider.testUrl')}
        extra={t('connections.provider.testUrlHint')}
      >
        <Input className="mono" placeholder="https://api.github.com/user" />
      </Form.Item>
      {kind === 'oauth2' && <Endpoints provider={provider} isOpen={preset === null} />}
    </>
  );
}

function PlacementFields({ kind }: { kind: 'key' | 'header' }) {
  const { t } = useTranslation();
  const required = [{ required: true, whitespace: true, message: t('common.required') }];
  return (
    <div className="field-grid">
      {kind === 'key' && (
        <Form.Item name={['placement', 'in']} label={t('connections.provider.placementIn')}>
          <Select
            options={PLACEMENTS.map((value) => ({
              value,
              label: t(`connections.provider.places.${value}`),
            }))}
          />
        </Form.Item>
      )}
      <Form.Item
        name={['placement', 'name']}
        label={t('connections.provider.placementName')}
        rules={required}
      >
        <Input className="mono" />
      </Form.Item>
    </div>
  );
}

function ClientFields({ provider, preset }: ProviderFieldsProps) {
  const { t } = useTranslation();
  const required = [{ required: true, whitespace: true, message: t('common.required') }];
  return (
    <>
      <Form.Item
        name={['oauth', 'clientId']}
        label={t('connections.provider.clientId')}
        rules={required}
        extra={
          preset && (
            <a href={preset.clientPage} target="_blank" rel="noreferrer">
              {t('connections.provider.clientPage', { name: preset.name })}
            </a>
          )
        }
      >
        <Input className="mono" autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="clientSecret"
        label={t('connections.provider.clientSecret')}
        extra={t(
          provider?.hasClientSecret
            ? 'connections.provider.secretKept'
            : 'connections.provider.secretOptional',
        )}
      >
        <Input.Password
          className="mono"
          autoComplete="new-password"
          placeholder={provider?.hasClientSecret ? '••••••••' : ''}
        />
      </Form.Item>
      <Form.Item
        name={['oauth', 'scopes']}
        label={t('connections.provider.scopes')}
        extra={t('connections.provider.scopesHint')}
      >
        <Input className="mono" />
      </Form.Item>
    </>
  );
}

function Endpoints({ provider, isOpen }: { provider: ConnectionProvider | null; isOpen: boolean }) {
  const { t } = useTranslation();
  const fields = [
    'issuer',
    'authorizationEndpoint',
    'tokenEndpoint',
    'revocationEndpoint',
    'resource',
  ] as const;
  return (
    <Collapse
      ghost
      className="provider-endpoints"
      defaultActiveKey={isOpen ? ['endpoints'] : []}
      items={[
        {
          key: 'endpoints',
          label: t('connections.provider.endpoints'),
          forceRender: true,
          children: (
            <>
              {provider !== null && <p className="muted">{t('connections.provider.moved')}</p>}
              {fields.map((field) => (
                <Form.Item
                  key={field}
                  name={['oauth', field]}
                  label={t(`connections.provider.${field}`)}
                  {...(field === 'tokenEndpoint' && {
                    rules: [{ required: true, whitespace: true, message: t('common.required') }],
                  })}
                >
                  <Input className="mono" placeholder="https://" />
                </Form.Item>
              ))}
              <div className="field-grid">
                <Form.Item name={['oauth', 'clientAuth']} label={t('connections.provider.clientAuth')}>
                  <Select
                    options={OAUTH_CLIENT_AUTHS.map((value) => ({
                      value,
                      label: t(`connections.provider.clientAuths.${value}`),
                    }))}
                  />
                </Form.Item>
                <Form.Item name={['oauth', 'tokenFormat']} label={t('connections.provider.tokenFormat')}>
                  <Select
                    options={OAUTH_TOKEN_FORMATS.map((value) => ({
                      value,
                      label: t(`connections.provider.tokenFormats.${value}`),
                    }))}
                  />
                </Form.Item>
              </div>
            </>
          ),
        },
      ]}
    />
  );
}
