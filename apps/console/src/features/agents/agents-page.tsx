import { PlusOutlined } from '@ant-design/icons';
import type { Agent, AgentListing } from '@platform/contracts';
import { Button, Segmented } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { client, keys } from '../../api.ts';
import { paths } from '../../paths.ts';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { ListSearch, useListQuery } from '../../ui/lists/list-search.tsx';
import { useList } from '../../ui/lists/use-list.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { usePersonName } from '../members/person-names.ts';
import { AccessBadge } from './access-badge.tsx';
import { AgentMenu } from './agent-menu.tsx';
import { isFullAgent } from './agent.ts';

/** What the list shows instead of all agents. */
const SHOWN = ['accessible', 'own'] as const;
const SORTS = ['name', '-name', 'updatedAt', '-updatedAt'] as const;

/** Agents are there to be talked to; those that are not for the user only to be looked at. */
const linkOf = ({ id, accessible }: Agent | AgentListing): string =>
  accessible ? paths.playground(id) : paths.agent(id);

export function Component() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [show, setShow] = useSearchFilter('show', SHOWN);
  const { field, text, sort } = useListQuery(SORTS);
  const query = { accessibleOnly: show === 'accessible', ownedOnly: show === 'own', text, sort };
  const list = useList<Agent | AgentListing>([...keys.agents, query], (page) =>
    client.agents.list({ ...page, ...query }),
  );

  const columns = useAgentColumns();

  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(paths.newAgent)}>
      {t('agents.create')}
    </Button>
  );

  return (
    <Page title={t('agents.title')} description={t('agents.description')} actions={create}>
      <div className="toolbar">
        <ListSearch label={t('agents.search')} {...field} />
        <Segmented
          aria-label={t('agents.show')}
          value={show ?? 'all'}
          onChange={(value) => setShow(SHOWN.find((one) => one === value))}
          options={[
            { value: 'all', label: t('agents.all') },
            { value: 'accessible', label: t('agents.accessible') },
            { value: 'own', label: t('agents.own') },
          ]}
        />
      </div>
      <DataList
        label={t('agents.title')}
        list={list}
        columns={columns}
        rowKey={(agent) => agent.id}
        rowTo={linkOf}
        empty={
          text !== undefined ? (
            <EmptyState title={t('agents.noMatch', { text })} text={t('agents.noMatchText')} />
          ) : show === 'own' ? (
            <EmptyState title={t('agents.noneOwn')} text={t('agents.noneOwnText')}>
              {create}
            </EmptyState>
          ) : show === 'accessible' ? (
            <EmptyState title={t('agents.noneAccessible')} text={t('agents.noneAccessibleText')} />
          ) : (
            <EmptyState title={t('agents.none')} text={t('agents.noneText')}>
              {create}
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

function useAgentColumns(): Column<Agent | AgentListing>[] {
  const { t } = useTranslation();
  const personName = usePersonName();
  const findOwner = (agent: Agent | AgentListing) =>
    isFullAgent(agent) ? personName(agent.ownerUserId) : undefined;

  return [
    {
      key: 'name',
      title: t('agents.agent'),
      sortBy: 'service',
      render: (agent) => (
        <>
          <Link className="primary-link" to={linkOf(agent)}>
            {agent.name}
          </Link>
          {agent.description !== '' && <div className="muted truncate">{agent.description}</div>}
        </>
      ),
    },
    {
      key: 'model',
      title: t('agents.model'),
      width: '20%',
      render: (agent) =>
        isFullAgent(agent) ? <ModelName agent={agent} /> : <span className="muted">–</span>,
    },
    {
      key: 'owner',
      title: t('agents.owner'),
      width: 140,
      render: (agent) => findOwner(agent) ?? <span className="muted">–</span>,
    },
    {
      key: 'updatedAt',
      title: t('agents.changed'),
      width: 120,
      sortBy: 'service',
      descendingFirst: true,
      render: (agent) =>
        isFullAgent(agent) ? <Time iso={agent.updatedAt} /> : <span className="muted">–</span>,
    },
    {
      key: 'access',
      title: t('agents.access'),
      width: 150,
      render: (agent) => <AccessBadge agent={agent} />,
    },
    { key: 'actions', title: '', width: 150, render: (agent) => <AgentMenu agent={agent} /> },
  ];
}

function ModelName({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  return (
    <span className="row wrap">
      <span className="mono">{agent.model}</span>
      {agent.modelStatus === 'unknown' && <span className="badge warning">{t('agents.modelUnknown')}</span>}
    </span>
  );
}
