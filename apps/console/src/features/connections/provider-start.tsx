import type { ConnectionPreset } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Alert, Input, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '../../api.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import {
  fromDiscovery,
  fromPreset,
  NEW_PROVIDER,
  type HiddenSettings,
  type ProviderValues,
} from './provider-form.ts';

interface ProviderStartProps {
  presets: ConnectionPreset[];
  onStart: (values: ProviderValues, hidden: HiddenSettings, preset: ConnectionPreset | null) => void;
  /** The name in the form. */
  nameOf: () => string;
}

const NOTHING: HiddenSettings = { parameters: {}, sendsIssuer: false };

/** Fills the form from a preset, or from what a server says about itself. */
export function ProviderStart({ presets, onStart, nameOf }: ProviderStartProps) {
  const { t } = useTranslation();
  const [start, setStart] = useState('custom');
  const discover = useMutation({ mutationFn: (url: string) => client.connections.discover(url) });
  const find = (url: string) =>
    discover.mutate(url, {
      // Not called once something else was chosen.
      onSuccess: (found) => {
        const { parameters, sendsIssuer } = found.oauth;
        onStart(fromDiscovery(found, nameOf() || hostOf(url)), { parameters, sendsIssuer }, null);
      },
    });
  const choose = (value: string) => {
    setStart(value);
    discover.reset();
    const preset = presets.find(({ id }) => id === value);
    if (preset === undefined) onStart(NEW_PROVIDER, NOTHING, null);
    else {
      const { parameters, sendsIssuer } = preset.oauth;
      onStart(fromPreset(preset), { parameters, sendsIssuer }, preset);
    }
  };
  return (
    <div className="provider-start">
      <label htmlFor="provider-start">{t('connections.provider.from')}</label>
      <Select
        id="provider-start"
        value={start}
        onChange={choose}
        options={[
          { value: 'custom', label: t('connections.provider.custom') },
          { value: 'discover', label: t('connections.provider.discover') },
          ...presets.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      {start === 'discover' && (
        <Input.Search
          className="mono"
          aria-label={t('connections.provider.discoverUrl')}
          placeholder="https://mcp.example.com/mcp"
          enterButton={t('connections.provider.find')}
          loading={discover.isPending}
          onSearch={(url) => url.trim() !== '' && find(url.trim())}
        />
      )}
      {discover.error && <Alert type="error" showIcon title={getErrorMessage(discover.error, t)} />}
      {discover.data && (
        <Alert
          type="success"
          showIcon
          title={t('connections.provider.found', { issuer: discover.data.oauth.issuer ?? '' })}
        />
      )}
    </div>
  );
}

const hostOf = (url: string) => URL.parse(url)?.hostname ?? '';
