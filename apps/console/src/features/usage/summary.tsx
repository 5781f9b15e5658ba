import { USAGE_GROUPINGS, USAGE_WINDOWS, type UsageGroup, type UsageSummary } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Segmented } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { ErrorState } from '../../ui/layout/states.tsx';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { useAgentName } from '../agents/agent-names.ts';
import { useIsAdmin } from '../auth/session.ts';

/** Usage of a time window: totals, and a bar chart of its groups. */
export function Summary({ userId }: { userId: string | undefined }) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const groupings = isAdmin ? USAGE_GROUPINGS : USAGE_GROUPINGS.filter((one) => one !== 'user');
  const [window = '7d', setWindow] = useSearchFilter('window', USAGE_WINDOWS);
  const [groupBy = 'day', setGroupBy] = useSearchFilter('by', groupings);
  const query = { window, groupBy, ...(userId !== undefined && { userId }) };
  const summary = useQuery({
    queryKey: [...keys.usage, 'summary', query],
    queryFn: () => client.usage.summary(query),
    placeholderData: (before) => before,
  });

  return (
    <section className="card" aria-label={t('usage.summary')}>
      <header className="card-head row wrap">
        <h2 className="grow">{t('usage.summary')}</h2>
        <FilterSelect
          label={t('usage.groupBy')}
          value={groupBy}
          onChange={setGroupBy}
          options={groupings.map((one) => ({ value: one, label: t(`usage.groups.${one}`) }))}
          width={130}
        />
        <Segmented
          aria-label={t('usage.window')}
          value={window}
          onChange={setWindow}
          options={USAGE_WINDOWS.map((one) => ({ value: one, label: t(`usage.windows.${one}`) }))}
        />
      </header>
      <div className="card-body usage-body">
        {summary.isPending && <span className="skeleton-bar" />}
        {summary.data === undefined && summary.isError && (
          <ErrorState error={summary.error} retry={() => void summary.refetch()} />
        )}
        {summary.data && <Figures summary={summary.data} />}
      </div>
    </section>
  );
}

function Figures({ summary }: { summary: UsageSummary }) {
  const { t } = useTranslation();
  const { whole, charged } = useNumbers();
  const { total } = summary;
  const facts = [
    ['tokens', whole(total.tokens)],
    ['calls', whole(total.calls)],
    ['cost', charged(total.cost)],
  ] as const;
  return (
    <>
      <dl className="usage-total">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{t(`usage.${name}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {total.calls === 0 ? (
        <p className="muted usage-nothing">{t('usage.nothing')}</p>
      ) : (
        <>
          <p className="muted usage-parts">
            {t('usage.inOut', { input: whole(total.promptTokens), output: whole(total.completionTokens) })}
            {total.cachedTokens > 0 && ` · ${t('usage.cachedIn', { cached: whole(total.cachedTokens) })}`}
          </p>
          {summary.groupBy === 'day' ? <Columns groups={summary.groups} /> : <Bars summary={summary} />}
        </>
      )}
    </>
  );
}

/** Vertical bars, one per day. */
function Columns({ groups }: { groups: UsageGroup[] }) {
  const { i18n } = useTranslation();
  const describe = useDescription();
  const day = new Intl.DateTimeFormat(i18n.language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const most = Math.max(1, ...groups.map(({ tokens }) => tokens));
  return (
    <ol className="columns">
      {groups.map((group) => {
        const name = group.key === null ? '' : day.format(new Date(group.key));
        return (
          <li key={group.key} title={describe(name, group)}>
            <span className="visually-hidden">{describe(name, group)}</span>
            <span className="column" aria-hidden>
              <span
                style={{ height: group.tokens === 0 ? 0 : `max(2px, ${(group.tokens / most) * 100}%)` }}
              />
            </span>
            <small aria-hidden>{name}</small>
          </li>
        );
      })}
    </ol>
  );
}

/** Horizontal bars for models, agents, or users, largest first. */
function Bars({ summary: { groups, groupBy } }: { summary: UsageSummary }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const describe = useDescription();
  const agentName = useAgentName();
  const most = Math.max(1, ...groups.map(({ tokens }) => tokens));
  const nameOf = ({ key, user }: UsageGroup) => {
    if (groupBy === 'user') return user?.name ?? key ?? '';
    if (groupBy === 'model') return key ?? '';
    if (key === null) return t('usage.noAgent');
    return agentName({ agentId: key });
  };
  return (
    <ol className="bars">
      {groups.map((group) => (
        <li key={group.key} title={describe(nameOf(group), group)}>
          <span className="truncate">{nameOf(group)}</span>
          <span className="bar" aria-hidden>
            <span style={{ width: `${(group.tokens / most) * 100}%` }} />
          </span>
          <span className="muted">{whole(group.tokens)}</span>
        </li>
      ))}
    </ol>
  );
}

function useDescription() {
  const { t } = useTranslation();
  const { whole, charged } = useNumbers();
  return (name: string, group: UsageGroup) =>
    t('usage.bar', {
      name,
      tokens: whole(group.tokens),
      calls: whole(group.calls),
      cost: charged(group.cost),
    });
}
