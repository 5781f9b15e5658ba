import { CloseOutlined, SearchOutlined } from '@ant-design/icons';
import { TURN_STATUSES, type TurnListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { formatDuration } from '../../ui/format/duration.ts';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useList, useLoadMore } from '../../ui/lists/use-list.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { useSettled } from '../../ui/browser/use-settled.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { allAgentsQuery } from '../agents/agents-query.ts';
import { useIsAdmin } from '../auth/session.ts';
import { modelsQuery } from '../models/models-query.ts';
import './traces.css';
import { TurnStatusBadge } from './turn-status.tsx';
import { TURN_PERIODS, useTurnFilters, useTurnQuery } from './use-turn-filters.ts';

const REFRESH_MS = 3_000;
/** Typing goes on for a while before a search is sent. */
const SEARCH_AFTER_MS = 250;

/** Turns of all agents: the caller's own, or for admins those of the space in figures. */
export function Component() {
  const { t, i18n } = useTranslation();
  const isAdmin = useIsAdmin();
  const { whole, cost } = useNumbers();
  const [filters, change] = useTurnFilters(isAdmin);
  const [wanted = '', setWanted] = useSearchFilter('q');
  const searched = useSettled(wanted.trim(), SEARCH_AFTER_MS);
  const [search] = useSearchParams();
  const figures = useTurnQuery(filters);
  // The titles of others are private, so the turns of the space cannot be searched.
  const query = searched === '' || filters.scope === 'space' ? figures : { ...figures, search: searched };
  const agents = useQuery(allAgentsQuery);
  const models = useQuery(modelsQuery);
  const list = useList<TurnListing>(
    [...keys.turns, query],
    (page) => client.turns.list({ ...page, ...query }),
    {
      refetchWhile: { everyMs: REFRESH_MS, test: isLive },
    },
  );
  const { items } = list;
  const isFiltered = Object.keys(filters).some((name) => name !== 'scope') || wanted !== '';
  const inSpace = filters.scope === 'space';

  // A page of a rare filter can be empty although more follow.
  useLoadMore(list, items.length === 0);

  const agentName = (agentId: string) =>
    agents.isPending ? '…' : (agents.data?.find(({ id }) => id === agentId)?.name ?? t('jobs.deletedAgent'));

  const columns: Column<TurnListing>[] = [
    {
      key: 'turn',
      title: t('traces.turn'),
      render: (turn) =>
        turn.session === null ? (
          <>
            <span className="primary-link">{agentName(turn.agentId)}</span>
            <div className="muted truncate">{turn.user?.name ?? t('traces.formerUser')}</div>
          </>
        ) : (
          <>
            <Link to={paths.trace(turn.agentId, turn.turnId)} className="primary-link truncate block">
              {turn.session.title || t('traces.untitled')}
            </Link>
            <div className="muted truncate">
              {agentName(turn.agentId)}
              {inSpace && turn.user && ` · ${turn.user.name}`}
              {turn.source !== null && turn.source !== 'chat' && ` · ${t(`traces.sources.${turn.source}`)}`}
            </div>
          </>
        ),
    },
    {
      key: 'status',
      title: t('traces.status'),
      width: 138,
      render: ({ status, errorCode }) => (
        <>
          <TurnStatusBadge status={status} />
          {errorCode !== null && <div className="mono muted truncate error-code">{errorCode}</div>}
        </>
      ),
    },
    {
      key: 'model',
      title: t('traces.model'),
      width: '17%',
      render: ({ model }) => <span className="mono truncate block">{model}</span>,
    },
    {
      key: 'duration',
      title: t('traces.duration'),
      width: 92,
      render: ({ execution_time: time }) => (
        <span className="tabular">{time === null ? '…' : formatDuration(time * 1_000, i18n.language)}</span>
      ),
    },
    {
      key: 'tokens',
      title: t('traces.tokens'),
      width: 84,
      render: ({ token_usage: usage }) => <span className="tabular">{whole(usage.total_tokens)}</span>,
    },
    {
      key: 'cost',
      title: t('traces.cost'),
      width: 92,
      render: ({ token_usage: usage }) => (
        <span className={usage.cost > 0 ? 'tabular' : 'muted'}>
          {usage.cost > 0 ? cost(usage.cost) : '–'}
        </span>
      ),
    },
    {
      key: 'created',
      title: t('traces.started'),
      width: 112,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
  ];

  return (
    <Page title={t('traces.title')} description={t(inSpace ? 'traces.spaceText' : 'traces.description')} wide>
      <div className="toolbar">
        {isAdmin && (
          <FilterSelect
            label={t('traces.scope')}
            any={t('traces.own')}
            value={filters.scope}
            onChange={(scope) => change({ scope, session: undefined, user: undefined })}
            options={[{ value: 'space', label: t('traces.space') }]}
            width={120}
          />
        )}
        {!inSpace && (
          <Input
            className="search"
            type="search"
            allowClear
            prefix={<SearchOutlined aria-hidden />}
            placeholder={t('traces.search')}
            aria-label={t('traces.search')}
            defaultValue={wanted}
            maxLength={200}
            onChange={(event) => setWanted(event.target.value || undefined)}
          />
        )}
        <FilterSelect
          label={t('traces.status')}
          any={t('jobs.anyStatus')}
          value={filters.status}
          onChange={(status) => change({ status })}
          options={TURN_STATUSES.map((value) => ({ value, label: t(`jobs.statuses.${value}`) }))}
          width={130}
        />
        <FilterSelect
          label={t('traces.agent')}
          any={t('traces.anyAgent')}
          value={filters.agent}
          onChange={(agent) => change({ agent, session: undefined })}
          options={(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          loading={agents.isPending}
          width={140}
        />
        <FilterSelect
          label={t('traces.model')}
          any={t('traces.anyModel')}
          value={filters.model}
          onChange={(model) => change({ model })}
          options={(models.data ?? []).map(({ name }) => ({ value: name, label: name }))}
          loading={models.isPending}
          width={140}
        />
        <FilterSelect
          label={t('traces.time')}
          any={t('traces.anyTime')}
          value={filters.since}
          onChange={(since) => change({ since })}
          options={TURN_PERIODS.map((value) => ({ value, label: t(`common.periods.${value}`) }))}
          width={130}
        />
        {(['session', 'run', 'user'] as const).map(
          (name) =>
            filters[name] !== undefined && (
              <Chip
                key={name}
                label={t(`traces.only.${name}`)}
                onRemove={() => change({ [name]: undefined })}
              />
            ),
        )}
      </div>
      <DataList
        label={t('traces.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ agentId, turnId, session }) =>
          session === null ? undefined : paths.trace(agentId, turnId)
        }
        empty={
          isFiltered ? (
            <EmptyState title={t('traces.noMatch')} text={t('traces.noMatchText')}>
              <Link to={{ search: search.get('scope') === 'space' ? '?scope=space' : '' }}>
                {t('traces.clear')}
              </Link>
            </EmptyState>
          ) : (
            <EmptyState title={t('traces.none')} text={t('traces.noneText')}>
              <Link to={paths.agents}>{t('traces.openAgents')}</Link>
            </EmptyState>
          )
        }
        noMatch={<EmptyState title={t('traces.noMatch')} text={t('traces.noMatchText')} />}
      />
    </Page>
  );
}

const isLive = ({ status }: TurnListing): boolean => status === 'RUNNING' || status === 'QUEUED';

function Chip({ label, onRemove }: { label: string; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <span className="filter-chip">
      {label}
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('traces.removeFilter', { filter: label })}
        onClick={onRemove}
      />
    </span>
  );
}
