import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import type { Session } from '@platform/contracts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { ErrorState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useConfirmDelete } from '../../ui/use-confirm-delete.ts';
import { useList } from '../../ui/use-list.ts';

interface SessionsListProps {
  agentId: string;
  /** The id of the open session. */
  sessionId: string;
  /** Starts a new session. */
  onNew: () => void;
}

export function SessionsList({ agentId, sessionId, onNew }: SessionsListProps) {
  const { t } = useTranslation();
  const confirmDelete = useConfirmDelete();
  const list = useList<Session>(keys.sessions(agentId), (page) => client.agents.sessions(agentId, page));

  const remove = (session: Session) =>
    confirmDelete({
      title: t('sessions.deleteTitle'),
      text: t('sessions.deleteText', { title: session.title }),
      run: async () => {
        await client.agents.deleteSession(agentId, session.sessionId);
        if (session.sessionId === sessionId) onNew();
        await queryClient.invalidateQueries({ queryKey: keys.sessions(agentId) });
      },
    });

  return (
    <nav className="sessions" aria-label={t('sessions.title')}>
      <Button block icon={<PlusOutlined aria-hidden />} onClick={onNew}>
        {t('sessions.new')}
      </Button>
      {list.error && <ErrorState error={list.error} retry={list.retry} />}
      {!list.loading && !list.error && list.items.length === 0 && (
        <p className="muted">{t('sessions.none')}</p>
      )}
      <ul>
        {list.items.map((session) => (
          <li key={session.sessionId} className={session.sessionId === sessionId ? 'active' : undefined}>
            <Link
              to={paths.playground(agentId, session.sessionId)}
              aria-current={session.sessionId === sessionId ? 'page' : undefined}
            >
              <span className="truncate">{session.title || t('sessions.untitled')}</span>
              <small className="muted">
                {session.runningTurnId !== null && (
                  <span className="badge success">{t('sessions.running')}</span>
                )}
                {session.runningTurnId === null && <Time iso={session.lastTurnAt} />}
              </small>
            </Link>
            <Button
              type="text"
              size="small"
              icon={<DeleteOutlined aria-hidden />}
              aria-label={t('sessions.deleteNamed', { title: session.title })}
              onClick={() => remove(session)}
            />
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <Button type="text" block onClick={list.loadMore} loading={list.loadingMore}>
          {t('common.loadMore')}
        </Button>
      )}
    </nav>
  );
}
