import { DeleteOutlined, GlobalOutlined, ReloadOutlined } from '@ant-design/icons';
import type { KnowledgeSource } from '@platform/contracts';
import { App, Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { Time } from '../../ui/format/time.tsx';
import { Card } from '../../ui/layout/card.tsx';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useIsAdmin } from '../auth/session.ts';
import { SourceProgress, SourceStatus, useScheduleName } from './source-status.tsx';

const SourceDialog = lazyPart(() =>
  import('./source-dialog.tsx').then((module) => ({ default: module.SourceDialog })),
);
const DeleteSourceDialog = lazyPart(() =>
  import('./source-dialog.tsx').then((module) => ({ default: module.DeleteSourceDialog })),
);
const SourceDrawer = lazyPart(() =>
  import('./source-drawer.tsx').then((module) => ({ default: module.SourceDrawer })),
);

const WATCH_MS = 1_500;

/** Pages and sitemaps that are fetched again, with their progress. */
export function SourcesCard() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<KnowledgeSource | null>(null);
  const [opened, open, close] = useDrawerParam('source');
  const list = useList<KnowledgeSource>(keys.knowledgeSources, (page) => client.knowledge.listSources(page), {
    refreshAfter: (source) => isMoving(source) && WATCH_MS,
  });
  const columns = useSourceColumns(open, isAdmin ? setRemoved : null);
  return (
    <Card title={t('knowledge.sources.title')} text={t('knowledge.sources.text')}>
      <div className="stack">
        {isAdmin && (
          <div>
            <Button icon={<GlobalOutlined aria-hidden />} onClick={() => setIsAdding(true)}>
              {t('knowledge.sources.add')}
            </Button>
          </div>
        )}
        {(list.items.length > 0 || list.error !== null) && (
          <DataList
            label={t('knowledge.sources.title')}
            list={list}
            columns={columns}
            rowKey={({ id }) => id}
            empty={<EmptyState title={t('knowledge.sources.none')} />}
          />
        )}
        {!list.loading && list.error === null && list.items.length === 0 && (
          <p className="muted">{t('knowledge.sources.none')}</p>
        )}
      </div>
      <Suspense>
        {isAdding && <SourceDialog onClose={() => setIsAdding(false)} />}
        {removed !== null && <DeleteSourceDialog source={removed} onClose={() => setRemoved(null)} />}
        {opened !== undefined && <SourceDrawer sourceId={opened} onClose={close} />}
      </Suspense>
    </Card>
  );
}

/** `remove`: null for those who may not change sources. */
function useSourceColumns(
  open: (sourceId: string) => void,
  remove: ((source: KnowledgeSource) => void) | null,
): Column<KnowledgeSource>[] {
  const { t } = useTranslation();
  const scheduleName = useScheduleName();
  return [
    {
      key: 'url',
      title: t('knowledge.sources.address'),
      render: (source) => (
        <>
          <button
            type="button"
            className="link-button primary-link source-address"
            onClick={() => open(source.id)}
          >
            {source.url}
          </button>
          {source.error !== null && <p className="danger-text document-error">{source.error}</p>}
        </>
      ),
    },
    {
      key: 'status',
      title: t('knowledge.status'),
      width: 125,
      render: (source) => <SourceStatus source={source} />,
    },
    {
      key: 'pages',
      title: t('knowledge.sources.pages'),
      width: 170,
      render: (source) => <SourceProgress source={source} />,
    },
    {
      key: 'schedule',
      title: t('knowledge.sources.schedule'),
      width: 170,
      render: (source) => (
        <>
          {source.enabled ? scheduleName(source.everyHours) : t('knowledge.sources.disabled')}
          {source.finishedAt !== null && (
            <p className="muted source-time">
              <Time iso={source.finishedAt} />
            </p>
          )}
        </>
      ),
    },
    ...(remove !== null
      ? [
          {
            key: 'actions',
            title: '',
            width: 104,
            render: (source: KnowledgeSource) => <Actions source={source} remove={remove} />,
          },
        ]
      : []),
  ];
}

function Actions({ source, remove }: { source: KnowledgeSource; remove: (source: KnowledgeSource) => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { id, url, enabled } = source;
  const fetchNow = () =>
    void client.knowledge
      .fetchSource(id)
      .then(() => queryClient.invalidateQueries({ queryKey: keys.knowledge }))
      .catch((error: unknown) => message.error(getErrorMessage(error, t)));
  return (
    <span className="row">
      <Button
        type="text"
        icon={<ReloadOutlined aria-hidden />}
        disabled={!enabled || isMoving(source)}
        aria-label={t('knowledge.sources.fetchNamed', { url })}
        title={t('knowledge.sources.fetch')}
        onClick={fetchNow}
      />
      <Button
        type="text"
        danger
        icon={<DeleteOutlined aria-hidden />}
        aria-label={t('knowledge.deleteNamed', { title: url })}
        title={t('common.delete')}
        onClick={() => remove(source)}
      />
    </span>
  );
}

/** Whether a fetch goes on, or is about to begin. */
function isMoving({ status, enabled, nextFetchAt }: KnowledgeSource): boolean {
  if (!enabled) return false;
  return status === 'FETCHING' || (nextFetchAt !== null && Date.parse(nextFetchAt) <= Date.now());
}
