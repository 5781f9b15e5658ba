import { PlusOutlined } from '@ant-design/icons';
import type { Application } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { useIsAdmin } from '../auth/session.ts';
import { SampleShopButton } from './sample-shop-button.tsx';
import './applications.css';

const InstallDrawer = lazyPart(() =>
  import('./install-drawer.tsx').then((module) => ({ default: module.InstallDrawer })),
);
const OPEN = ['open'] as const;

export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const [install, setInstall] = useSearchFilter('install', OPEN);
  const list = useList<Application>(keys.applications, (page) => client.applications.list(page));

  const columns = useApplicationColumns();
  const create = isAdmin && (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setInstall('open')}>
      {t('applications.install')}
    </Button>
  );

  return (
    <Page title={t('applications.title')} description={t('applications.description')} actions={create}>
      <DataList
        label={t('applications.title')}
        list={list}
        columns={columns}
        rowKey={({ identifier }) => identifier}
        rowTo={({ identifier }) => paths.application(identifier)}
        empty={
          <EmptyState title={t('applications.none')} text={t('applications.noneText')}>
            {create}
            <SampleShopButton />
          </EmptyState>
        }
      />
      {install !== undefined && isAdmin && (
        <Suspense>
          <InstallDrawer onClose={() => setInstall(undefined)} />
        </Suspense>
      )}
    </Page>
  );
}

function useApplicationColumns(): Column<Application>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('applications.application'),
      sortBy: ({ name }) => name,
      render: ({ identifier, name, installed }) => (
        <>
          <Link to={paths.application(identifier)} className="primary-link">
            {name}
          </Link>
          <div className="row wrap muted">
            <span className="mono">{identifier}</span>
            {!installed && <span className="badge warning">{t('applications.uninstalled')}</span>}
          </div>
        </>
      ),
    },
    {
      key: 'version',
      title: t('applications.version'),
      width: 110,
      render: ({ version }) => <code>{version}</code>,
    },
    {
      key: 'contents',
      title: t('applications.contents'),
      width: 260,
      render: ({ eventCount, tableCount, taskCount }) =>
        t('applications.contains', { events: eventCount, tables: tableCount, tasks: taskCount }),
    },
    {
      key: 'key',
      title: t('applications.keyUsed'),
      width: 150,
      sortBy: ({ systemKeyLastUsedAt }) => systemKeyLastUsedAt,
      descendingFirst: true,
      render: ({ systemKeyLastUsedAt }) =>
        systemKeyLastUsedAt === null ? (
          <span className="muted">{t('apiKeys.never')}</span>
        ) : (
          <Time iso={systemKeyLastUsedAt} />
        ),
    },
    {
      key: 'updated',
      title: t('applications.updated'),
      width: 130,
      sortBy: ({ updatedAt }) => updatedAt,
      descendingFirst: true,
      render: ({ updatedAt }) => <Time iso={updatedAt} />,
    },
  ];
}
