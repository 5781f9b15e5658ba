import type { OAuthGrant } from '@platform/contracts';
import { Button, Flex, Tag } from 'antd';
import { useTranslation } from 'react-i18next';
import { Time } from '../../ui/format/time.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { useIsAdmin } from '../auth/session.ts';
import { useGrants } from './use-mcp.ts';

/** The clients that people have let in: their own, and for admins those of everyone. */
export function Grants() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const { list, revoke } = useGrants();
  const columns = useColumns(revoke, isAdmin);
  return (
    <section aria-labelledby="mcp-grants">
      <header className="mcp-section-head">
        <h2 id="mcp-grants">{t('mcp.grants')}</h2>
        <p className="muted">{t(isAdmin ? 'mcp.grantsTextAdmin' : 'mcp.grantsText')}</p>
      </header>
      <DataList
        label={t('mcp.grants')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t('mcp.noGrants')} text={t('mcp.noGrantsText')} />}
      />
    </section>
  );
}

function useColumns(revoke: (grant: OAuthGrant) => void, isAdmin: boolean): Column<OAuthGrant>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'client',
      title: t('mcp.client'),
      sortBy: ({ client }) => client.name,
      render: ({ client }) => (
        <>
          <span className="primary-link">{client.name}</span>
          <Origin client={client} />
        </>
      ),
    },
    ...(isAdmin
      ? [
          {
            key: 'person',
            title: t('mcp.person'),
            sortBy: ({ user }: OAuthGrant) => user.name,
            render: ({ user }: OAuthGrant) => (
              <>
                {user.name}
                <div className="muted truncate">{user.email}</div>
              </>
            ),
          },
        ]
      : []),
    {
      key: 'scopes',
      title: t('mcp.scopes'),
      width: 180,
      render: ({ scopes }) => (
        <Flex gap={4} wrap>
          {scopes.map((scope) => (
            <Tag key={scope}>{t(`mcp.scope.${scope}`)}</Tag>
          ))}
        </Flex>
      ),
    },
    {
      key: 'created',
      title: t('mcp.granted'),
      width: 115,
      sortBy: ({ createdAt }) => createdAt,
      descendingFirst: true,
      render: ({ createdAt }) => <Time iso={createdAt} />,
    },
    {
      key: 'used',
      title: t('mcp.lastUsed'),
      width: 115,
      sortBy: ({ lastUsedAt }) => lastUsedAt,
      descendingFirst: true,
      render: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="muted">{t('mcp.never')}</span> : <Time iso={lastUsedAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 110,
      render: (grant) => (
        <Button
          size="small"
          type="text"
          danger
          onClick={() => revoke(grant)}
          aria-label={t('mcp.revokeNamed', { name: grant.client.name })}
        >
          {t('mcp.revoke')}
        </Button>
      ),
    },
  ];
}

/** By which clients of the same name are told apart. */
function Origin({ client }: Pick<OAuthGrant, 'client'>) {
  const { t } = useTranslation();
  const { host, isVerified, isLocal, redirectsTo } = client;
  const origin = host === null ? [] : [t('mcp.verified', { host })];
  const target = isLocal ? t('mcp.local') : t('mcp.unverified', { host: redirectsTo });
  return <div className="muted">{(isVerified ? origin : [...origin, target]).join(' · ')}</div>;
}
