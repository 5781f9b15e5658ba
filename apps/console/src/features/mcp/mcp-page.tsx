import type { McpOffers } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/layout/card.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState, Loaded } from '../../ui/layout/states.tsx';
import { useIsAdmin } from '../auth/session.ts';
import { ConnectCard } from './connect-card.tsx';
import { Grants } from './grants-card.tsx';
import './mcp.css';
import { OffersForm } from './offers-form.tsx';
import { UnlistedMethods } from './unlisted-methods.tsx';
import { useOffers } from './use-mcp.ts';

/** The space as an MCP server: how to connect, what is offered, and who has access. */
export function Component() {
  const { t } = useTranslation();
  const offers = useOffers();
  return (
    <Page title={t('mcp.title')} description={t('mcp.description')}>
      <div className="stack-cards">
        <Loaded query={offers}>
          {(loaded) => (
            <>
              <ConnectCard url={loaded.url} />
              <Offered offers={loaded} />
            </>
          )}
        </Loaded>
        <Grants />
      </div>
    </Page>
  );
}

function Offered({ offers }: { offers: McpOffers }) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const isEmpty =
    !offers.knowledge && [offers.agents, offers.tasks, offers.tools].every(({ length }) => length === 0);
  return (
    <Card title={t('mcp.offers')} text={t(isAdmin ? 'mcp.offersText' : 'mcp.offersTextMember')}>
      {isEmpty && !isAdmin && <EmptyState title={t('mcp.nothing')} text={t('mcp.nothingTextMember')} />}
      {isEmpty && isAdmin && (
        <p className="mcp-nothing" role="status">
          <strong>{t('mcp.nothing')}</strong>
          {t('mcp.nothingText')}
        </p>
      )}
      <UnlistedMethods offers={offers} />
      {isAdmin && <OffersForm offers={offers} />}
      <Names offers={offers} />
    </Card>
  );
}

/** By which clients know agents and tasks. */
function Names({ offers: { agents, tasks } }: { offers: McpOffers }) {
  const { t } = useTranslation();
  const names = [...agents, ...tasks];
  if (names.length === 0) return null;
  return (
    <div className="mcp-names">
      <h3>{t('mcp.names')}</h3>
      <p className="muted">{t('mcp.namesText')}</p>
      <ul className="row wrap" aria-label={t('mcp.names')}>
        {names.map(({ id, name }) => (
          <li key={id}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
