import { SafetyCertificateOutlined, WarningOutlined } from '@ant-design/icons';
import type { OAuthClient } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/format/time.tsx';

/** What is known of a client. Two clients of the same name differ in it. */
export function ClientFacts({ client }: { client: OAuthClient }) {
  const { t } = useTranslation();
  const { id, host, redirectsTo, isLocal, isVerified, registeredAt } = client;
  return (
    <>
      <p className={isVerified ? 'consent-origin verified' : 'consent-origin'}>
        {isVerified ? <SafetyCertificateOutlined aria-hidden /> : <WarningOutlined aria-hidden />}
        <span>{t(originOf(client), { host: host ?? '' })}</span>
      </p>
      <dl className="consent-facts">
        <dt>{t('consent.returns')}</dt>
        <dd>{isLocal ? t('consent.program', { name: redirectsTo }) : redirectsTo}</dd>
        <dt>{t('consent.id')}</dt>
        <dd className="mono">{id}</dd>
        {registeredAt !== null && (
          <>
            <dt>{t('consent.registered')}</dt>
            <dd>
              <Time iso={registeredAt} />
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

function originOf({ host, isVerified }: OAuthClient) {
  if (isVerified) return 'consent.verified' as const;
  return host === null ? ('consent.unverified' as const) : ('consent.document' as const);
}
