import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/code/copy-button.tsx';

/** What the provider must know. */
export function CallbackAddress({ address }: { address: string }) {
  const { t } = useTranslation();
  return (
    <div className="callback-address">
      <div>
        <strong>{t('connections.provider.callback')}</strong>
        <p className="muted">{t('connections.provider.callbackHint')}</p>
      </div>
      <code className="mono truncate">{address}</code>
      <CopyButton size="small" text={address} label={t('connections.provider.copyCallback')} />
    </div>
  );
}
