import type { Agent, AgentVersion } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { hasUnsavedInput } from '../../../ui/browser/unsaved-input.ts';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { EmptyState, ErrorState } from '../../../ui/layout/states.tsx';
import { Time } from '../../../ui/format/time.tsx';
import { useList } from '../../../ui/lists/use-list.ts';
import { VersionChanges } from './version-changes.tsx';
import '../../../ui/diff/versions.css';

interface VersionsDrawerProps {
  agent: Agent;
  onClose: () => void;
  onRestored: (agent: Agent) => void;
}

/** The versions of an agent, newest first, each with what it changed. */
export function VersionsDrawer({ agent: current, onClose, onRestored }: VersionsDrawerProps) {
  const { t } = useTranslation();
  const { message, modal } = App.useApp();
  const list = useList<AgentVersion>([...keys.agentVersions(current.id), current.version], (page) =>
    client.agents.versions(current.id, page),
  );
  const restore = useMutation({
    mutationFn: (version: number) => client.agents.restoreVersion(current.id, version),
    onSuccess: (agent, version) => {
      onRestored(agent);
      void queryClient.invalidateQueries({ queryKey: keys.agentVersions(current.id) });
      void message.success(t('versions.restored', { version }));
      onClose();
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });

  const confirm = ({ version, agent }: AgentVersion) =>
    void modal.confirm({
      title: t('versions.restoreTitle', { version }),
      width: 640,
      icon: null,
      content: (
        <div className="stack">
          <p className="muted">{t('versions.restoreText', { next: current.version + 1 })}</p>
          {hasUnsavedInput() && <p className="warning-text">{t('versions.unsaved')}</p>}
          <VersionChanges before={current} after={agent} none={t('versions.sameAsCurrent')} />
        </div>
      ),
      okText: t('versions.restore'),
      cancelText: t('common.cancel'),
      // The mutation shows its own errors.
      onOk: () =>
        restore.mutateAsync(version).then(
          () => undefined,
          () => undefined,
        ),
    });

  return (
    <Drawer open onClose={onClose} title={t('versions.title')} size={640}>
      {list.error && <ErrorState error={list.error} retry={list.retry} />}
      {list.loading && <span className="skeleton-bar" />}
      {!list.loading && !list.error && list.items.length === 0 && <EmptyState title={t('versions.none')} />}
      <ol className="versions">
        {list.items.map((one, i) => (
          <li key={one.version}>
            <div className="row">
              <h2>{t('versions.number', { version: one.version })}</h2>
              {one.version === current.version && (
                <span className="badge success">{t('versions.current')}</span>
              )}
              <span className="muted grow">
                <Time iso={one.createdAt} />
                {one.author !== null && ` · ${one.author.name}`}
              </span>
              {one.version !== current.version && (
                <Button
                  size="small"
                  aria-label={t('versions.restoreNamed', { version: one.version })}
                  onClick={() => confirm(one)}
                >
                  {t('versions.restore')}
                </Button>
              )}
            </div>
            <Changes version={one} before={list.items[i + 1]} />
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <Button block onClick={list.loadMore} loading={list.loadingMore}>
          {t('common.loadMore')}
        </Button>
      )}
    </Drawer>
  );
}

/** What a version changed, as far as the version before it is loaded. */
function Changes({ version, before }: { version: AgentVersion; before: AgentVersion | undefined }) {
  const { t } = useTranslation();
  if (before !== undefined)
    return <VersionChanges before={before.agent} after={version.agent} none={t('versions.same')} />;
  return version.version === 1 ? <p className="muted">{t('versions.first')}</p> : null;
}
