import type { UsageSummary, UsageWindow } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { ErrorState } from '../../ui/layout/states.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { chooseMaximum } from '../../ui/charts/axis.ts';

const REFRESH_MS = 30_000;
const LABELS = 4;

/** Tokens and cost per day. Usage is summed by day, so that shorter periods show the week around them. */
export function UsageChart({ window }: { window: UsageWindow }) {
  const { t } = useTranslation();
  const shown = window === '30d' ? '30d' : '7d';
  const usage = useQuery({
    queryKey: [...keys.usage, 'summary', { window: shown, groupBy: 'day' }],
    queryFn: () => client.usage.summary({ window: shown, groupBy: 'day' }),
    refetchInterval: REFRESH_MS,
    placeholderData: (before) => before,
  });
  return (
    <section className="card" aria-label={t('overview.usage')}>
      <header className="card-head row">
        <h2 className="grow">{t('overview.usage')}</h2>
        <Link
          to={`${paths.usage}?window=${shown}`}
          aria-label={t('overview.allOf', { name: t('usage.title') })}
        >
          {t('overview.all')}
        </Link>
      </header>
      <div className="card-body">
        {usage.data !== undefined ? (
          <Bars summary={usage.data} />
        ) : usage.isError ? (
          <ErrorState error={usage.error} retry={() => void usage.refetch()} />
        ) : (
          <span className="skeleton-bar" />
        )}
      </div>
    </section>
  );
}

function Bars({ summary: { groups, total, window } }: { summary: UsageSummary }) {
  const { t, i18n } = useTranslation();
  const { whole, charged } = useNumbers();
  const compact = new Intl.NumberFormat(i18n.language, { notation: 'compact', maximumFractionDigits: 1 });
  // Days are UTC days.
  const format = new Intl.DateTimeFormat(i18n.language, { month: 'short', day: 'numeric', timeZone: 'UTC' });
  const most = chooseMaximum(Math.max(0, ...groups.map(({ tokens }) => tokens)));
  const labelEvery = Math.max(1, Math.ceil(groups.length / LABELS));
  return (
    <figure className="volume usage-chart">
      <figcaption className="usage-total">
        <strong>{t('overview.tokenTotal', { tokens: compact.format(total.tokens) })}</strong>{' '}
        <span className="muted">
          {t('overview.costTotal', { cost: charged(total.cost), window: t(`usage.windows.${window}`) })}
        </span>
      </figcaption>
      {total.tokens === 0 && <p className="volume-empty muted">{t('overview.noUsage')}</p>}
      <div className="volume-plot">
        <span className="volume-axis muted" aria-hidden>
          <span>{compact.format(most)}</span>
          <span>{compact.format(most / 2)}</span>
          <span>0</span>
        </span>
        <ol className="volume-bars">
          {groups.map((day, i) => {
            const name = format.format(new Date(`${day.key ?? ''}T00:00:00Z`));
            const text = t('overview.dayUsage', {
              day: name,
              input: whole(day.promptTokens),
              output: whole(day.completionTokens),
              cost: charged(day.cost),
            });
            return (
              <li key={day.key}>
                <span className="bar" role="img" aria-label={text} title={text}>
                  <span className="part input" style={{ height: `${(100 * day.promptTokens) / most}%` }} />
                  <span
                    className="part output"
                    style={{ height: `${(100 * day.completionTokens) / most}%` }}
                  />
                </span>
                {i % labelEvery === 0 && (
                  <small className="muted" aria-hidden>
                    {name}
                  </small>
                )}
              </li>
            );
          })}
        </ol>
      </div>
      <ul className="volume-legend muted" aria-hidden>
        {(['input', 'output'] as const).map((part) => (
          <li key={part}>
            <span className={`part ${part}`} /> {t(`overview.${part}Tokens`)}
          </li>
        ))}
      </ul>
    </figure>
  );
}
