import type { ConnectionProvider } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { CallbackAddress } from './callback-address.tsx';
import { presetsQuery } from './use-connections.ts';

/** What people and the space can connect to, for admins. */
export function ProvidersList({ onEdit }: { onEdit: (providerId: string) => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const confirmDelete = useConfirmDelete();
  const [, share] = useDrawerParam('share');
  const presets = useQuery(presetsQuery).data;
  const list = useList<ConnectionProvider>(keys.connectionProviders, (page) =>
    client.connections.listProviders(page),
  );
  const remove = ({ id, name }: ConnectionProvider) =>
    confirmDelete({
      title: t('connections.provider.deleteTitle', { name }),
      text: t('connections.provider.deleteText'),
      run: async () => {
        await client.connections.deleteProvider(id);
        void message.success(t('connections.provider.deleted', { name }));
        await queryClient.invalidateQueries({ queryKey: keys.connectionProviders });
        await queryClient.invalidateQueries({ queryKey: keys.connections });
      },
    });
  const columns = useColumns({ onEdit, share, remove });
  return (
    <>
      {presets && <CallbackAddress address={presets.callbackUrl} />}
      <DataList
        label={t('connections.tabs.providers')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => onEdit(id)}
        empty={
          <EmptyState title={t('connections.noProviders')} text={t('connections.noProvidersText')}>
            <Button type="primary" onClick={() => onEdit('new')}>
              {t('connections.provider.add')}
            </Button>
          </EmptyState>
        }
      />
    </>
  );
}

interface ColumnsOptions {
  onEdit: (providerId: string) => void;
  share: (providerId: string) => void;
  remove: (provider: ConnectionProvider) => void;
}

function useColumns({ onEdit, share, remove }: ColumnsOptions): Column<ConnectionProvider>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('connections.provider.title'),
      sortBy: ({ name }) => name,
      render: ({ id, name, origins }) => (
        <>
          <button type="button" className="link-button primary-link" onClick={() => onEdit(id)}>
            {name}
          </button>
          <div className="muted truncate mono">{origins.join(', ')}</div>
        </>
      ),
    },
    {
      key: 'kind',
      title: t('connections.kind'),
      width: 190,
      render: ({ kind }) => t(`connections.providerKinds.${kind}`),
    },
    {
      key: 'actions',
      title: '',
      width: 260,
      render: (provider) => (
        <>
          <Button
            size="small"
            type="text"
            onClick={() => share(provider.id)}
            aria-label={t('connections.connectSpaceTo', { name: provider.name })}
          >
            {t('connections.connectSpace')}
          </Button>
          <Button
            size="small"
            type="text"
            danger
            onClick={() => remove(provider)}
            aria-label={t('common.deleteNamed', { name: provider.name })}
          >
            {t('common.delete')}
          </Button>
        </>
      ),
    },
  ];
}
