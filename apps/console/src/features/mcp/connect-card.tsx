import { Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/code/copy-button.tsx';
import { Card } from '../../ui/layout/card.tsx';
import { useSession } from '../auth/session.ts';
import { CLIENT_FORMS, formatSettings, type ClientForm } from './client-settings.ts';

/** The address for clients, and what to write into their settings. */
export function ConnectCard({ url }: { url: string }) {
  const { t } = useTranslation();
  const [form, setForm] = useState<ClientForm>('claude');
  return (
    <Card title={t('mcp.connect')} text={t('mcp.connectText')}>
      <div className="row mcp-address">
        <code className="grow truncate" title={url} aria-label={t('mcp.address')}>
          {url}
        </code>
        <CopyButton text={url} label={t('mcp.copyAddress')} size="small" />
      </div>
      <Radio.Group
        className="mcp-forms"
        optionType="button"
        aria-label={t('mcp.settingsFor')}
        value={form}
        options={CLIENT_FORMS.map((each) => ({ value: each, label: t(`mcp.forms.${each}`) }))}
        onChange={(event) => setForm(event.target.value as ClientForm)}
      />
      <Settings form={form} url={url} />
    </Card>
  );
}

function Settings({ form, url }: { form: ClientForm; url: string }) {
  const { t } = useTranslation();
  const { space } = useSession();
  const text = formatSettings(form, url, space.name);
  const label = `${t('mcp.settingsFor')} ${t(`mcp.forms.${form}`)}`;
  return (
    <>
      <p className="muted">
        {t(`mcp.hints.${form}`)} {form === 'key' && <Link to={paths.apiKeys}>{t('mcp.apiKeys')}</Link>}
      </p>
      <div className="mcp-code">
        <pre className="code-block" tabIndex={0} role="group" aria-label={label}>
          {text}
        </pre>
        <CopyButton text={text} label={t('mcp.copySettings')} size="small" />
      </div>
    </>
  );
}
