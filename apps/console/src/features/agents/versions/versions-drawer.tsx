import type { Agent, AgentVersion } from '@platform/contracts';
import { Drawer } from 'antd';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../../api.ts';
import { useList } from '../../../ui/lists/use-list.ts';
import { useRestore } from '../../versions/use-restore.tsx';
import { VersionList } from '../../versions/version-list.tsx';
import { VersionChanges } from './version-changes.tsx';

interface VersionsDrawerProps {
  agent: Agent;
  onClose: () => void;
  onRestored: (agent: Agent) => void;
}

/** The versions of an agent, newest first, each with what it changed. */
export function VersionsDrawer({ agent: current, onClose, onRestored }: VersionsDrawerProps) {
  const { t } = useTranslation();
  const list = useList<AgentVersion>([...keys.agentVersions(current.id), current.version], (page) =>
    client.agents.versions(current.id, page),
  );
  const restore = useRestore({
    restore: (version) => client.agents.restoreVersion(current.id, version),
    onRestored: (agent) => {
      onRestored(agent);
      onClose();
    },
    queryKey: keys.agentVersions(current.id),
  });
  return (
    <Drawer open onClose={onClose} title={t('versions.title')} size={640}>
      <VersionList
        list={list}
        current={current.version}
        onRestore={({ version, agent }) =>
          restore(
            version,
            t('versions.restoreText', { next: current.version + 1 }),
            <VersionChanges before={current} after={agent} none={t('versions.sameAsCurrent')} />,
          )
        }
        changes={({ agent }, before) =>
          before && <VersionChanges before={before.agent} after={agent} none={t('versions.same')} />
        }
      />
    </Drawer>
  );
}
