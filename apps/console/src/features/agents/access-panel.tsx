import { CheckCircleFilled, StopOutlined } from '@ant-design/icons';
import type { AgentAccess, AgentAccessUser } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { Avatar } from '../../ui/layout/avatar.tsx';
import { ErrorState } from '../../ui/layout/states.tsx';

const SHOWN = 50;

/** Shows who can call the saved agent, and why. Unsaved changes of the form are not included. */
export function AccessPanel({ agentId, version }: { agentId: string; version: number }) {
  const { t } = useTranslation();
  const access = useQuery({
    queryKey: [...keys.agentAccess(agentId), version],
    queryFn: () => client.agents.access(agentId),
  });
  return (
    <aside className="card access-panel" aria-label={t('access.panelTitle')}>
      <header className="card-head">
        <h2>{t('access.panelTitle')}</h2>
        <p>{t('access.panelText')}</p>
      </header>
      <div className="card-body">
        {access.isPending && <span className="skeleton-bar" />}
        {access.isError && <ErrorState error={access.error} retry={() => void access.refetch()} />}
        <ul className="people">
          {access.data?.users.slice(0, SHOWN).map((user) => (
            <li key={user.userId}>
              <Avatar name={user.name ?? '?'} />
              <span className="grow">
                <span className="truncate">{user.name ?? user.userId}</span>
                <small className="muted">{t(`access.reasons.${reasonOf(access.data, user)}`)}</small>
              </span>
              {user.allowed ? (
                <CheckCircleFilled className="allowed" aria-label={t('access.allowed')} />
              ) : (
                <StopOutlined className="denied" aria-label={t('access.denied')} />
              )}
            </li>
          ))}
          {access.data?.unknownUserIds.map((id) => (
            <li key={id}>
              <Avatar name="?" />
              <span className="grow">
                <span className="truncate mono">{id}</span>
                <small className="muted">{t('access.unknownUser')}</small>
              </span>
            </li>
          ))}
        </ul>
        {(access.data?.users.length ?? 0) > SHOWN && (
          <p className="muted">{t('access.more', { count: (access.data?.users.length ?? 0) - SHOWN })}</p>
        )}
        {access.data?.users.length === 0 && <p className="muted">{t('access.nobody')}</p>}
      </div>
    </aside>
  );
}

/** The rule that decided. The sentence of the service is in English. */
function reasonOf({ accessScope }: AgentAccess, { allowed }: AgentAccessUser) {
  if (accessScope === 'SPACE') return 'space';
  return allowed ? 'listed' : 'notListed';
}
