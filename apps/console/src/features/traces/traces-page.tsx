import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { ListPicture } from '../../ui/charts/chart-space.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList } from '../../ui/lists/data-list.tsx';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { useIsAdmin } from '../auth/session.ts';
import './traces.css';
import { useTurnColumns } from './turn-columns.tsx';
import { TurnFilterBar } from './turn-filter-bar.tsx';
import { useTurnFilters } from './use-turn-filters.ts';
import { useTurns } from './use-turns.ts';

const TurnsPicture = lazyPart(() =>
  import('./turns-picture.tsx').then((module) => ({ default: module.TurnsPicture })),
);

/** Turns of all agents: the caller's own, or for admins those of the space in figures. */
export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [filters, change] = useTurnFilters(isAdmin);
  const [wanted = '', setWanted] = useSearchFilter('q');
  const isFiltered = Object.keys(filters).some((name) => name !== 'scope') || wanted !== '';
  const list = useTurns(filters, wanted);
  const inSpace = filters.scope === 'space';

  const columns = useTurnColumns(inSpace);

  return (
    <Page title={t('traces.title')} description={t(inSpace ? 'traces.spaceText' : 'traces.description')} wide>
      <TurnFilterBar filters={filters} onChange={change} wanted={wanted} onWanted={setWanted} />
      <ListPicture list={list}>
        <TurnsPicture turns={list.items} hasMore={list.hasMore} />
      </ListPicture>
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
              <Link to={{ search: inSpace ? '?scope=space' : '' }}>{t('traces.clear')}</Link>
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
