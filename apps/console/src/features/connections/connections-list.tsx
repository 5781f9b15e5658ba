import type { Connection } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { Time } from '../../ui/format/time.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useIsAdmin, useSession } from '../auth/session.ts';
import { ConnectionDrawer } from './connection-drawer.tsx';
import { ConnectionState } from './connection-state.tsx';
import { providersQuery, useAvailable } from './use-connections.ts';

/** What is connected, and what can be. */
export function ConnectionsList() {
  const { t } = useTranslation();
  const { user } = useSession();
  const isAdmin = useIsAdmin();
  const [opened, open, close] = useDrawerParam('connection');
  const [, connect] = useDrawerParam('connect');
  const list = useList<Connection>(keys.connections, (page) => client.connections.list(page));
  // What is not known is not missing.
  const hasProviders = useQuery(providersQuery).data?.length !== 0;
  const available = useAvailable(user.id);
  const columns = useColumns(open, user.id);
  return (
    <>
      {available.length > 0 && (
        <section aria-label={t('connections.available')} className="available-providers">
          <h2>{t('connections.available')}</h2>
          <ul>
            {available.map(({ id, name }) => (
              <li key={id}>
                <span className="truncate">{name}</span>
                <Button
                  size="small"
                  onClick={() => connect(id)}
                  aria-label={t('connections.connectTo', { name })}
                >
                  {t('connections.connect')}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <DataList
        label={t('connections.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onRowClick={({ id }) => open(id)}
        empty={
          hasProviders ? (
            <EmptyState title={t('connections.none')} text={t('connections.noneText')} />
          ) : (
            <EmptyState
              title={t('connections.noProviders')}
              text={t(isAdmin ? 'connections.noProvidersText' : 'connections.askAdmin')}
            />
          )
        }
      />
      {opened !== undefined && <ConnectionDrawer connectionId={opened} onClose={close} />}
    </>
  );
}

function useColumns(open: (id: string) => void, userId: string): Column<Connection>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('connections.columns.name'),
      sortBy: ({ name }) => name,
      render: ({ id, name, provider, account }) => (
        <>
          <button type="button" className="link-button primary-link" onClick={() => open(id)}>
            {name}
          </button>
          <div className="muted truncate">
            {[name === provider.name ? null : provider.name, account]
              .filter((text) => text !== null)
              .join(' · ')}
          </div>
        </>
      ),
    },
    {
      key: 'owner',
      title: t('connections.columns.owner'),
      width: 140,
      sortBy: ({ owner }) => owner?.name ?? '',
      render: ({ owner }) => t(`connections.owner.${owner?.id === userId ? 'me' : 'space'}`),
    },
    {
      key: 'status',
      title: t('connections.columns.status'),
      width: 190,
      sortBy: ({ status }) => status,
      render: (connection) => <ConnectionState connection={connection} />,
    },
    {
      key: 'last-used',
      title: t('connections.columns.lastUsed'),
      width: 150,
      sortBy: ({ lastUsedAt }) => lastUsedAt ?? '',
      descendingFirst: true,
      render: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <span className="muted">{t('connections.never')}</span>
        ) : (
          <Time iso={lastUsedAt} />
        ),
    },
  ];
}
