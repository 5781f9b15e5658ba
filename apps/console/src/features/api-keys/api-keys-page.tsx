import { PlusOutlined } from '@ant-design/icons';
import type { ApiKey } from '@platform/contracts';
import { Button, Flex, Tag } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useApiKeys } from './use-api-keys.ts';

const CreateKeyDialog = lazyPart(() =>
  import('./create-key-dialog.tsx').then((module) => ({ default: module.CreateKeyDialog })),
);

export function Component() {
  const { t } = useTranslation();
  const { list, revoke } = useApiKeys();
  const columns = useKeyColumns(revoke);
  const [creating, setCreating] = useState(false);
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

function useKeyColumns(revoke: (key: ApiKey) => void): Column<ApiKey>[] {
  const { t } = useTranslation();
  return [
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
      key: 'scopes',
      title: t('apiKeys.scopes'),
      render: ({ scopes }) => (
        <Flex gap={4} wrap>
          {scopes.map((scope) => (
            <Tag key={scope} title={t(`apiKeys.scopeText.${scope}`)}>
              {t(`apiKeys.scope.${scope}`)}
            </Tag>
          ))}
        </Flex>
      ),
    },
    {
      key: 'created',
      title: t('apiKeys.createdAt'),
      width: 115,
      sortBy: ({ createdAt }) => createdAt,
      descendingFirst: true,
      render: (key) => <Time iso={key.createdAt} />,
    },
    {
      key: 'used',
      title: t('apiKeys.lastUsed'),
      width: 115,
      sortBy: ({ lastUsedAt }) => lastUsedAt,
      descendingFirst: true,
      render: ({ lastUsedAt }) => <TimeOrNever iso={lastUsedAt} />,
    },
    {
      key: 'expires',
      title: t('apiKeys.expires'),
      width: 115,
      sortBy: ({ expiresAt }) => expiresAt,
      render: ({ expiresAt }) => <TimeOrNever iso={expiresAt} />,
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
}

function TimeOrNever({ iso }: { iso: string | null }) {
  const { t } = useTranslation();
  return iso === null ? <span className="muted">{t('apiKeys.never')}</span> : <Time iso={iso} />;
}
