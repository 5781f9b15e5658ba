import type { ConnectionPreset } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { Alert, App, Input, Select, type FormInstance } from 'antd';
import { useRef, useState } from 'react';
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
  form: FormInstance<ProviderValues>;
}

const NOTHING: HiddenSettings = { parameters: {}, sendsIssuer: false };

/** Fills the form from a preset, or from what a server says about itself. */
export function ProviderStart({ presets, onStart, form }: ProviderStartProps) {
  const { t } = useTranslation();
  const { listEntered, replace } = useReplacing(form);
  const [start, setStart] = useState('custom');
  const discover = useMutation({ mutationFn: (url: string) => client.connections.discover(url) });
  const find = (url: string) =>
    discover.mutate(url, {
      // Not called once something else was chosen.
      onSuccess: (found) => {
        const { parameters, sendsIssuer } = found.oauth;
        const name = (form.getFieldValue('name') as string) || hostOf(url);
        replace(fromDiscovery(found, name), (values) => onStart(values, { parameters, sendsIssuer }, null));
      },
    });
  const choose = (value: string) => {
    const preset = presets.find(({ id }) => id === value) ?? null;
    // What a server says about itself has no name.
    const isKept = value === 'discover' && listEntered().includes('name');
    const name = isKept ? (form.getFieldValue('name') as string) : '';
    replace(preset === null ? { ...NEW_PROVIDER, name } : fromPreset(preset), (values) => {
      setStart(value);
      discover.reset();
      const { parameters, sendsIssuer } = preset?.oauth ?? NOTHING;
      onStart(values, { parameters, sendsIssuer }, preset);
    });
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

/** Fills the form, and asks first if that replaces something that the user has entered. */
function useReplacing(form: FormInstance<ProviderValues>) {
  const { t } = useTranslation();
  const { modal } = App.useApp();
  const filled = useRef(NEW_PROVIDER);
  const listEntered = () => {
    const shown = form.getFieldsValue(true) as ProviderValues;
    const names = Object.keys(filled.current) as (keyof ProviderValues)[];
    return names.filter((name) => differs(shown[name], filled.current[name]));
  };
  const replace = (values: ProviderValues, fill: (values: ProviderValues) => void) => {
    const run = () => {
      filled.current = values;
      fill(values);
    };
    const isLost = listEntered().some((name) => differs(form.getFieldValue(name), values[name]));
    if (!isLost) run();
    else
      modal.confirm({
        title: t('connections.provider.replaceTitle'),
        content: t('connections.provider.replaceText'),
        okText: t('connections.provider.replace'),
        cancelText: t('connections.provider.keep'),
        onOk: run,
      });
  };
  return { listEntered, replace };
}

/** Whether a field, or one of its fields, has another value. */
function differs(shown: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return (shown ?? '') !== (wanted ?? '');
  return Object.entries(wanted).some(([key, value]) =>
    differs((shown as Record<string, unknown> | undefined)?.[key], value),
  );
}

const hostOf = (url: string) => URL.parse(url)?.hostname ?? '';
