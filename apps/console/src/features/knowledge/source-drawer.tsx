import { KNOWLEDGE_PAGE_STATUSES, type KnowledgePage, type KnowledgeSource } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Time } from '../../ui/format/time.tsx';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { EmptyState, Loaded } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useIsAdmin } from '../auth/session.ts';
import { ScheduleDialog } from './source-dialog.tsx';
import { PageStatus, SourceProgress, SourceStatus, useScheduleName } from './source-status.tsx';

const WATCH_MS = 1_500;

interface SourceDrawerProps {
  sourceId: string;
  onClose: () => void;
}

/** A source with what came of each of its pages. */
export function SourceDrawer({ sourceId, onClose }: SourceDrawerProps) {
  const { t } = useTranslation();
  const source = useQuery({
    queryKey: keys.knowledgeSource(sourceId),
    queryFn: () => client.knowledge.getSource(sourceId),
    refetchInterval: ({ state }) => (state.data?.status === 'FETCHING' ? WATCH_MS : false),
  });
  return (
    <Drawer open onClose={onClose} size={760} title={t('knowledge.sources.one')}>
      <Loaded query={source}>{(loaded) => <Details source={loaded} />}</Loaded>
    </Drawer>
  );
}

function Details({ source }: { source: KnowledgeSource }) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const scheduleName = useScheduleName();
  const [isChanging, setIsChanging] = useState(false);
  const { url, error, everyHours, enabled, documents, leftOut, finishedAt, nextFetchAt } = source;
  return (
    <div className="stack">
      <p className="source-address">{url}</p>
      <Facts>
        <Fact name={t('knowledge.status')}>
          <SourceStatus source={source} />
        </Fact>
        <Fact name={t('knowledge.sources.pages')}>
          <SourceProgress source={source} />
        </Fact>
        <Fact name={t('knowledge.sources.documents')}>{documents}</Fact>
        <Fact name={t('knowledge.sources.schedule')}>
          {enabled ? scheduleName(everyHours) : t('knowledge.sources.disabled')}
        </Fact>
        {finishedAt !== null && (
          <Fact name={t('knowledge.sources.last')}>
            <Time iso={finishedAt} />
          </Fact>
        )}
        {nextFetchAt !== null && source.status !== 'FETCHING' && (
          <Fact name={t('knowledge.sources.next')}>
            <Time iso={nextFetchAt} />
          </Fact>
        )}
      </Facts>
      {isAdmin && (
        <div>
          <Button onClick={() => setIsChanging(true)}>{t('knowledge.sources.change')}</Button>
        </div>
      )}
      {error !== null && (
        <section className="error-box" role="alert">
          <strong>{t('knowledge.sources.incomplete')}</strong>
          <p className="source-address">{error}</p>
        </section>
      )}
      {leftOut > 0 && <p className="muted">{t('knowledge.sources.leftOut', { count: leftOut })}</p>}
      <Pages source={source} />
      {isChanging && <ScheduleDialog source={source} onClose={() => setIsChanging(false)} />}
    </div>
  );
}

function Pages({ source: { id, status } }: { source: KnowledgeSource }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<KnowledgePage['status'] | undefined>();
  const list = useList<KnowledgePage>(
    keys.knowledgePages(id, shown),
    (page) => client.knowledge.listSourcePages(id, { ...page, status: shown }),
    { refreshAfter: () => status === 'FETCHING' && WATCH_MS },
  );
  const columns: Column<KnowledgePage>[] = [
    {
      key: 'url',
      title: t('knowledge.sources.address'),
      render: ({ url, reason, documentId, isSitemap }) => (
        <>
          {documentId === null ? (
            <span className="source-address">{url}</span>
          ) : (
            <Link className="source-address" to={paths.document(documentId)}>
              {url}
            </Link>
          )}
          {isSitemap && (
            <>
              {' '}
              <span className="badge plain">{t('knowledge.sources.kinds.sitemap')}</span>
            </>
          )}
          {reason !== null && <p className="muted document-error">{reason}</p>}
        </>
      ),
    },
    {
      key: 'status',
      title: t('knowledge.status'),
      width: 125,
      render: (page) => <PageStatus status={page.status} />,
    },
    {
      key: 'fetched',
      title: t('knowledge.sources.last'),
      width: 140,
      render: ({ fetchedAt }) => fetchedAt !== null && <Time iso={fetchedAt} />,
    },
  ];
  return (
    <>
      <div className="row wrap">
        <h3 className="document-part grow">{t('knowledge.sources.pages')}</h3>
        <FilterSelect
          label={t('knowledge.status')}
          any={t('knowledge.sources.anyStatus')}
          value={shown}
          onChange={setShown}
          options={KNOWLEDGE_PAGE_STATUSES.map((value) => ({
            value,
            label: t(`knowledge.sources.pageStatuses.${value}`),
          }))}
        />
      </div>
      <DataList
        label={t('knowledge.sources.pages')}
        list={list}
        columns={columns}
        rowKey={(page) => page.id}
        empty={<EmptyState title={t('knowledge.sources.noPages')} />}
      />
    </>
  );
}
