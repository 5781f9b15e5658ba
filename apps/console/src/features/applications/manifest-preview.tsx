import type { ApplicationManifest } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { listManifestParts } from './manifest.ts';

/** More are counted. */
const SHOWN = 100;

/** What a manifest would install, while nothing has been checked. */
export function ManifestPreview({ manifest }: { manifest: ApplicationManifest }) {
  const { t } = useTranslation();
  const parts = listManifestParts(manifest);
  if (parts.length === 0) return null;
  return (
    <section className="stack" aria-label={t('applications.wouldInstall')}>
      <h2>{t('applications.wouldInstall')}</h2>
      <ul className="contents">
        {parts.slice(0, SHOWN).map(({ kind, name, startedBy }, i) => (
          <li key={i} className="row wrap">
            <span className="muted">{t(`applications.kinds.${kind}`)}</span>
            <span className="mono">{name}</span>
            {startedBy !== '' && (
              <span className="muted">{t('applications.startedBy', { by: startedBy })}</span>
            )}
          </li>
        ))}
      </ul>
      {parts.length > SHOWN && (
        <p className="muted">{t('applications.partsMore', { count: parts.length - SHOWN })}</p>
      )}
    </section>
  );
}
