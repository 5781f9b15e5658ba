import type { Agent, AgentVersion } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { getErrorMessage } from '../../ui/errors.ts';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';

interface VersionsDrawerProps {
  agentId: string;
  current: number;
  open: boolean;
  onClose: () => void;
  onRestored: (agent: Agent) => void;
}

export function VersionsDrawer({ agentId, current, open, onClose, onRestored }: VersionsDrawerProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const list = useList<AgentVersion>(
    [...keys.agentVersions(agentId), current],
    (page) => client.agents.versions(agentId, page),
    {
      enabled: open,
    },
  );
  const restore = useMutation({
    mutationFn: (version: number) => client.agents.restoreVersion(agentId, version),
    onSuccess: (agent, version) => {
      onRestored(agent);
      void queryClient.invalidateQueries({ queryKey: keys.agentVersions(agentId) });
      void message.success(t('versions.restored', { version }));
      onClose();
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });

  return (
    <Drawer open={open} onClose={onClose} title={t('versions.title')} size={520}>
      {list.error && <ErrorState error={list.error} retry={list.retry} />}
      {open && list.loading && <span className="skeleton-bar" />}
      {!list.loading && !list.error && list.items.length === 0 && <EmptyState title={t('versions.none')} />}
      <ol className="versions">
        {list.items.map(({ version, author, createdAt, agent }, i) => (
          <li key={version}>
            <div className="row">
              <strong>{t('versions.number', { version })}</strong>
              {version === current && <span className="badge success">{t('versions.current')}</span>}
              <span className="muted grow">
                <Time iso={createdAt} />
                {author !== null && ` · ${author.name}`}
              </span>
              {version !== current && (
                <Button
                  size="small"
                  loading={restore.isPending && restore.variables === version}
                  onClick={() => restore.mutate(version)}
                >
                  {t('versions.restore')}
                </Button>
              )}
            </div>
            <p className="muted">
              {listChangedFields(agent, list.items[i + 1]?.agent).join(', ') || t('versions.first')}
            </p>
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

const OWN_FIELDS = new Set(['version', 'updatedAt', 'createdAt']);

/** Returns the names of the fields that changed since the previous version. */
function listChangedFields(now: AgentVersion['agent'], before: AgentVersion['agent'] | undefined): string[] {
  if (before === undefined) return [];
  const earlier: Record<string, unknown> = { ...before };
  return Object.entries(now)
    .filter(([key, value]) => !OWN_FIELDS.has(key) && JSON.stringify(value) !== JSON.stringify(earlier[key]))
    .map(([key]) => key);
}
