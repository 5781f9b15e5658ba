import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import type { Session } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { ErrorState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { LoadMore } from '../../ui/lists/load-more.tsx';
import { SearchInput } from '../../ui/lists/search-input.tsx';
import { useList, useLoadMore, type List } from '../../ui/lists/use-list.ts';

/** With fewer conversations, a search would only be in the way. */
const SEARCH_FROM = 6;
/** So many are searched without being asked; "Load more" goes on. */
const SEARCHED = 1_000;
const RenameDialog = lazyPart(() =>
  import('./rename-dialog.tsx').then((module) => ({ default: module.RenameDialog })),
);

interface SessionsListProps {
  agentId: string;
  /** The id of the open session. */
  sessionId: string;
  /** Starts a new session. */
  onNew: () => void;
  onDeleted: (sessionId: string) => void;
}

export function SessionsList({ agentId, sessionId, onNew, onDeleted }: SessionsListProps) {
  const { t } = useTranslation();
  const confirmDelete = useConfirmDelete();
  const list = useList<Session>(keys.sessions(agentId), (page) => client.agents.sessions(agentId, page));

  const { text, setText, shown, state } = useSearch(list);
  const [renamed, setRenamed] = useState<Session | null>(null);

  const remove = (session: Session) =>
    confirmDelete({
      title: t('sessions.deleteTitle'),
      text: t('sessions.deleteText', { title: session.title }),
      run: async () => {
        await client.agents.deleteSession(agentId, session.sessionId);
        onDeleted(session.sessionId);
        if (session.sessionId === sessionId) onNew();
        await queryClient.invalidateQueries({ queryKey: keys.sessions(agentId) });
      },
    });

  return (
    <nav className="sessions" aria-label={t('sessions.title')}>
      <Button block icon={<PlusOutlined aria-hidden />} onClick={onNew}>
        {t('sessions.new')}
      </Button>
      {(list.items.length >= SEARCH_FROM || list.hasMore) && (
        <SearchInput
          label={t('sessions.search')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {state === 'searching' && <span className="skeleton-bar" />}
      {state === 'paused' && <p className="muted">{t('common.nothingYet')}</p>}
      {state === 'nothing' && <p className="muted">{t('sessions.noMatch')}</p>}
      {list.error && <ErrorState error={list.error} retry={list.retry} />}
      {!list.loading && !list.error && list.items.length === 0 && (
        <p className="muted">{t('sessions.none')}</p>
      )}
      <ul>
        {shown.map((session) => (
          <SessionEntry
            key={session.sessionId}
            agentId={agentId}
            session={session}
            isOpen={session.sessionId === sessionId}
            onRename={() => setRenamed(session)}
            onDelete={() => remove(session)}
          />
        ))}
      </ul>
      <LoadMore list={list} type="text" block />
      {renamed !== null && (
        <Suspense>
          <RenameDialog session={renamed} onClose={() => setRenamed(null)} />
        </Suspense>
      )}
    </nav>
  );
}

/** The sessions whose title has a text. The search covers all of them, not only the loaded pages. */
function useSearch(list: List<Session>) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  // All of them are loaded again after each turn.
  const isFarEnough = list.items.length >= SEARCHED;
  useLoadMore(list, wanted !== '' && !isFarEnough);
  const shown = list.items.filter(({ title }) => title.toLowerCase().includes(wanted));
  const isPaused = list.hasMore && (list.moreError !== null || isFarEnough);
  const isFound = wanted === '' || shown.length > 0;
  const state = isFound ? 'found' : isPaused ? 'paused' : list.hasMore ? 'searching' : 'nothing';
  return { text, setText, shown, state };
}

interface SessionEntryProps {
  agentId: string;
  session: Session;
  isOpen: boolean;
  onRename: () => void;
  onDelete: () => void;
}

function SessionEntry({ agentId, session, isOpen, onRename, onDelete }: SessionEntryProps) {
  const { t } = useTranslation();
  return (
    <li className={isOpen ? 'active' : undefined}>
      <Link to={paths.playground(agentId, session.sessionId)} aria-current={isOpen ? 'page' : undefined}>
        <span className="truncate">{session.title || t('sessions.untitled')}</span>
        <small className="muted">
          {session.runningTurnId !== null && <span className="badge success">{t('sessions.running')}</span>}
          {session.runningTurnId === null && <Time iso={session.lastTurnAt} />}
        </small>
      </Link>
      <Button
        type="text"
        size="small"
        icon={<EditOutlined aria-hidden />}
        aria-label={t('sessions.renameNamed', { title: session.title })}
        onClick={onRename}
      />
      <Button
        type="text"
        size="small"
        icon={<DeleteOutlined aria-hidden />}
        aria-label={t('sessions.deleteNamed', { title: session.title })}
        onClick={onDelete}
      />
    </li>
  );
}
