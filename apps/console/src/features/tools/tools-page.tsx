import { ImportOutlined, PlusOutlined } from '@ant-design/icons';
import type { ToolListing } from '@platform/contracts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { ListSearch, useListQuery } from '../../ui/lists/list-search.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useIsAdmin } from '../auth/session.ts';
import { AuthBadge } from './auth/auth-badge.tsx';
import './tools.css';

const SORTS = ['name', '-name'] as const;

export function Component() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const { field, text, sort } = useListQuery(SORTS);
  const query = { text, sort };
  const list = useList<ToolListing>([...keys.tools, query], (page) =>
    client.tools.list({ ...page, ...query }),
  );

  const columns = useToolColumns();

  return (
    <Page
      title={t('tools.title')}
      description={t('toolPages.description')}
      wide
      actions={
        isAdmin && (
          <>
            <Button icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(paths.newTool)}>
              {t('toolNew.open')}
            </Button>
            <Button
              type="primary"
              icon={<ImportOutlined aria-hidden />}
              onClick={() => void navigate(paths.importTool)}
            >
              {t('toolPages.import')}
            </Button>
          </>
        )
      }
    >
      <div className="toolbar">
        <ListSearch label={t('toolPages.search')} {...field} />
      </div>
      <DataList
        label={t('tools.title')}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => paths.tool(id)}
        empty={
          text === undefined ? (
            <EmptyState title={t('toolPages.none')} text={t('toolPages.noneText')} />
          ) : (
            <EmptyState title={t('toolPages.noneMatch')} />
          )
        }
      />
    </Page>
  );
}

function useToolColumns(): Column<ToolListing>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('toolPages.tool'),
      sortBy: 'service',
      render: ({ id, name, description }) => (
        <>
          <Link to={paths.tool(id)} className="primary-link">
            {name}
          </Link>
          {description !== '' && <p className="muted clamped">{description}</p>}
        </>
      ),
    },
    {
      key: 'server',
      title: t('toolPages.server'),
      render: ({ serverUrl }) =>
        serverUrl === '' ? <span className="muted">–</span> : <span className="mono">{serverUrl}</span>,
    },
    {
      key: 'auth',
      title: t('toolPages.auth'),
      width: 190,
      render: ({ kind, auth }) =>
        kind === 'http' || kind === 'mcp' ? <AuthBadge auth={auth} /> : <span className="muted">–</span>,
    },
    {
      key: 'methods',
      title: t('toolPages.methods'),
      width: 110,
      render: ({ methodCount }) => methodCount,
    },
    {
      key: 'kind',
      title: t('toolPages.kind'),
      width: 120,
      render: ({ kind }) => <span className="badge plain">{t(`toolPages.kinds.${kind}`)}</span>,
    },
  ];
}
