import { PlusOutlined } from '@ant-design/icons';
import type { ApiKey } from '@platform/contracts';
import { Button } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useList } from '../../ui/lists/use-list.ts';

const CreateKeyDialog = lazy(() =>
  import('./create-key-dialog.tsx').then((module) => ({ default: module.CreateKeyDialog })),
);

export function Component() {
  const { t } = useTranslation();
  const confirmDelete = useConfirmDelete();
  const [creating, setCreating] = useState(false);
  const list = useList<ApiKey>(keys.apiKeys, (page) => client.apiKeys.list(page));

  const revoke = (key: ApiKey) =>
    confirmDelete({
      title: t('apiKeys.revokeTitle', { name: key.name }),
      text: t('apiKeys.revokeText'),
      verb: t('apiKeys.revoke'),
      run: async () => {
        await client.apiKeys.delete(key.id);
        await queryClient.invalidateQueries({ queryKey: keys.apiKeys });
      },
    });

  const columns: Column<ApiKey>[] = [
    {
      key: 'name',
      title: t('common.name'),
      sortBy: ({ name }) => name,
      render: (key) => (
        <>
          <span className="primary-link">{key.name}</span>
          <div className="muted mono">{key.prefix}…</div>
        </>
      ),
    },
    {
      key: 'created',
      title: t('apiKeys.createdAt'),
      width: 150,
      sortBy: ({ createdAt }) => createdAt,
      descendingFirst: true,
      render: (key) => <Time iso={key.createdAt} />,
    },
    {
      key: 'used',
      title: t('apiKeys.lastUsed'),
      width: 150,
      sortBy: ({ lastUsedAt }) => lastUsedAt,
      descendingFirst: true,
      render: (key) =>
        key.lastUsedAt === null ? (
          <span className="muted">{t('apiKeys.never')}</span>
        ) : (
          <Time iso={key.lastUsedAt} />
        ),
    },
    {
      key: 'expires',
      title: t('apiKeys.expires'),
      width: 150,
      sortBy: ({ expiresAt }) => expiresAt,
      render: (key) =>
        key.expiresAt === null ? (
          <span className="muted">{t('apiKeys.never')}</span>
        ) : (
          <Time iso={key.expiresAt} />
        ),
    },
    {
      key: 'actions',
      title: '',
      width: 110,
      render: (key) => (
        <Button
          size="small"
          type="text"
          danger
          onClick={() => revoke(key)}
          aria-label={t('apiKeys.revokeNamed', { name: key.name })}
        >
          {t('apiKeys.revoke')}
        </Button>
      ),
    },
  ];

  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating(true)}>
      {t('apiKeys.create')}
    </Button>
  );

  return (
    <Page title={t('apiKeys.title')} description={t('apiKeys.description')} actions={create}>
      <DataList
        label={t('apiKeys.title')}
        list={list}
        columns={columns}
        rowKey={(key) => key.id}
        empty={
          <EmptyState title={t('apiKeys.none')} text={t('apiKeys.noneText')}>
            {create}
          </EmptyState>
        }
      />
      {creating && (
        <Suspense>
          <CreateKeyDialog onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </Page>
  );
}
