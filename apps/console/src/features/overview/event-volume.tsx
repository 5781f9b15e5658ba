import type { EventSummary } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { chooseMaximum } from '../../ui/charts/axis.ts';

/** From the bottom of a bar to its top. */
const PARTS = ['dispatched', 'pending', 'skipped', 'failed'] as const;
const LABELS = 4;

/** Events over time, as stacked bars. Each bar leads to its events in the log. */
export function EventVolume({ summary: { buckets, bucketSeconds, total } }: { summary: EventSummary }) {
  const { t, i18n } = useTranslation();
  const { whole } = useNumbers();
  const isDays = bucketSeconds >= 86_400;
  // Buckets of days start at midnight in UTC.
  const format = new Intl.DateTimeFormat(
    i18n.language,
    isDays
      ? { month: 'short', day: 'numeric', timeZone: 'UTC' }
      : buckets.length * bucketSeconds > 86_400
        ? { month: 'short', day: 'numeric', hour: 'numeric' }
        : { hour: 'numeric', minute: '2-digit' },
  );
  const most = chooseMaximum(Math.max(0, ...buckets.map((bucket) => bucket.total)));
  const describe = (bucket: EventSummary['buckets'][number]) =>
    [
      format.format(new Date(bucket.start)),
      ...PARTS.filter((part) => bucket[part] > 0 || part === 'dispatched').map(
        (part) => `${t(`overview.parts.${part}`)} ${whole(bucket[part])}`,
      ),
    ].join(' · ');
  const labelEvery = Math.max(1, Math.ceil(buckets.length / LABELS));

  return (
    <figure className="volume">
      <figcaption className="visually-hidden">
        {t('overview.volumeText', { total: whole(total), count: buckets.length })}
      </figcaption>
      {total === 0 && <p className="volume-empty muted">{t('overview.noEvents')}</p>}
      <div className="volume-plot">
        <span className="volume-axis muted" aria-hidden>
          <span>{whole(most)}</span>
          <span>{most % 2 === 0 ? whole(most / 2) : ''}</span>
          <span>0</span>
        </span>
        <ol className="volume-bars">
          {buckets.map((bucket, i) => (
            <li key={bucket.start}>
              <Link
                // Reachable by keyboard through the figures and the log; a hundred stops here would only be in the way.
                tabIndex={-1}
                to={paths.eventLog({
                  from: bucket.start,
                  to: new Date(Date.parse(bucket.start) + bucketSeconds * 1_000).toISOString(),
                })}
                title={describe(bucket)}
                aria-label={describe(bucket)}
              >
                {PARTS.map(
                  (part) =>
                    bucket[part] > 0 && (
                      <span
                        key={part}
                        className={`part ${part}`}
                        style={{ height: `max(2px, ${(bucket[part] / most) * 100}%)` }}
                      />
                    ),
                )}
              </Link>
              {i % labelEvery === 0 && (
                <small className="muted" aria-hidden>
                  {format.format(new Date(bucket.start))}
                </small>
              )}
            </li>
          ))}
        </ol>
      </div>
      <ul className="volume-legend muted" aria-hidden>
        {PARTS.map((part) => (
          <li key={part}>
            <span className={`part ${part}`} /> {t(`overview.parts.${part}`)}
          </li>
        ))}
      </ul>
    </figure>
  );
}
