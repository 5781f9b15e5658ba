import type { ConnectionPreset, ConnectionProvider } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button, Drawer, Form, Spin } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useFormErrors } from '../../ui/forms/use-form-errors.ts';
import { useGuardedClose } from '../../ui/forms/use-guarded-close.ts';
import { ErrorState } from '../../ui/layout/states.tsx';
import { CallbackAddress } from './callback-address.tsx';
import { ProviderFields } from './provider-fields.tsx';
import {
  fromProvider,
  NEW_PROVIDER,
  toRequest,
  type HiddenSettings,
  type ProviderValues,
} from './provider-form.ts';
import { ProviderStart } from './provider-start.tsx';
import { presetsQuery, providersQuery } from './use-connections.ts';

const FIELDS = [
  'name',
  'kind',
  'origins',
  'placement.in',
  'placement.name',
  'oauth.clientId',
  'clientSecret',
  'oauth.scopes',
  'testUrl',
  'oauth.issuer',
  'oauth.authorizationEndpoint',
  'oauth.tokenEndpoint',
  'oauth.revocationEndpoint',
  'oauth.resource',
];

interface ProviderDrawerProps {
  /** Null: a new one. */
  providerId: string | null;
  onClose: () => void;
}

/** Adds or edits what people and the space can connect to. */
export function ProviderDrawer({ providerId, onClose }: ProviderDrawerProps) {
  const { t } = useTranslation();
  const { data: providers, error } = useQuery(providersQuery);
  const provider = providers?.find(({ id }) => id === providerId) ?? null;
  if (providerId === null || provider !== null)
    return <ProviderEditor provider={provider} onClose={onClose} />;
  return (
    <Drawer open onClose={onClose} size={520} title={t('connections.provider.title')}>
      {error === null ? <Spin aria-label={t('common.loading')} /> : <ErrorState error={error} />}
    </Drawer>
  );
}

function ProviderEditor({ provider, onClose }: { provider: ConnectionProvider | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<ProviderValues>();
  const [preset, setPreset] = useState<ConnectionPreset | null>(null);
  const [hidden, setHidden] = useState<HiddenSettings>({
    parameters: provider?.oauth?.parameters ?? {},
    sendsIssuer: provider?.oauth?.sendsIssuer ?? false,
  });
  const showErrors = useFormErrors(form, FIELDS);
  const { close, leave, release } = useGuardedClose(() => form.isFieldsTouched(), onClose);
  const presets = useQuery(presetsQuery).data;

  const save = useMutation({
    mutationFn: (values: ProviderValues) => {
      const { kind, ...request } = toRequest(values, hidden);
      return provider === null
        ? client.connections.createProvider({ ...request, kind, ...(preset && { preset: preset.id }) })
        : client.connections.updateProvider(provider.id, request);
    },
    onSuccess: async ({ name }) => {
      release();
      await queryClient.invalidateQueries({ queryKey: keys.connectionProviders });
      void queryClient.invalidateQueries({ queryKey: keys.connections });
      void message.success(t('connections.provider.saved', { name }));
      leave();
    },
    onError: showErrors,
  });

  return (
    <Drawer
      open
      onClose={close}
      size={520}
      title={
        provider === null
          ? t('connections.provider.add')
          : t('connections.provider.edit', { name: provider.name })
      }
      footer={
        <div className="row" style={{ justifyContent: 'flex-end' }}>
          <Button onClick={leave}>{t('common.cancel')}</Button>
          <Button type="primary" loading={save.isPending} onClick={form.submit}>
            {t('common.save')}
          </Button>
        </div>
      }
    >
      {presets && <CallbackAddress address={presets.callbackUrl} />}
      {provider === null && (
        <ProviderStart
          presets={presets?.items ?? []}
          onStart={(values, settings, chosen) => {
            form.setFieldsValue(values);
            setHidden(settings);
            setPreset(chosen);
          }}
          form={form}
        />
      )}
      <Form<ProviderValues>
        name="provider"
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={provider === null ? NEW_PROVIDER : fromProvider(provider)}
        onFinish={(values) => save.mutate(values)}
      >
        <ProviderFields provider={provider} preset={preset} />
      </Form>
    </Drawer>
  );
}
