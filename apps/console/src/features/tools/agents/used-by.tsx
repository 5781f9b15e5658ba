import type { Agent, AgentListing, Tool } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { Card } from '../../../ui/layout/card.tsx';
import { ErrorState } from '../../../ui/layout/states.tsx';
import { LoadMore } from '../../../ui/lists/load-more.tsx';
import { useList, type List } from '../../../ui/lists/use-list.ts';
import { AccessBadge } from '../../agents/access-badge.tsx';
import { isFullAgent } from '../../agents/agent.ts';
import { useIsAdmin } from '../../auth/session.ts';
import { findTool } from './add-tool.ts';
import './used-by.css';

/** The agents that have a tool, as far as the user may know. */
export function UsedBy({ tool }: { tool: Pick<Tool, 'id' | 'methods'> }) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const list = useList<Agent | AgentListing>([...keys.agents, { toolId: tool.id }], (page) =>
    client.agents.list({ ...page, toolId: tool.id }),
  );
  return (
    <Card
      title={t('toolAgents.usedBy')}
      text={t(isAdmin ? 'toolAgents.usedByText' : 'toolAgents.usedByOwnText')}
    >
      <Agents tool={tool} list={list} />
    </Card>
  );
}

interface AgentsProps {
  tool: Pick<Tool, 'id' | 'methods'>;
  list: List<Agent | AgentListing>;
}

function Agents({ tool, list }: AgentsProps) {
  const { t } = useTranslation();
  if (list.loading) return <span className="skeleton-bar" />;
  if (list.error !== null) return <ErrorState error={list.error} retry={list.retry} />;
  if (list.items.length === 0) return <p className="muted">{t('toolAgents.unused')}</p>;
  return (
    <div className="stack">
      <ul className="used-by" aria-label={t('toolAgents.usedBy')}>
        {list.items.filter(isFullAgent).map((agent) => (
          <li key={agent.id} className="row wrap">
            <div className="grow">
              <Link to={paths.agent(agent.id)} className="primary-link">
                {agent.name}
              </Link>
              <div className="muted">{t('toolAgents.methods', countMethods(tool, agent))}</div>
            </div>
            <AccessBadge agent={agent} />
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <div>
          <LoadMore list={list} />
        </div>
      )}
    </div>
  );
}

/** How many of the tool's methods the agent can call. */
function countMethods({ id, methods }: AgentsProps['tool'], agent: Agent) {
  const chosen = findTool(agent, id)?.methods ?? null;
  const offered = methods.filter(({ name }) => chosen?.includes(name) ?? true);
  return { offered: offered.length, count: methods.length };
}
