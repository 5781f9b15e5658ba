import type { Task, TaskVersionListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../../api.ts';
import { Loaded } from '../../../ui/layout/states.tsx';
import { useList } from '../../../ui/lists/use-list.ts';
import { useRestore } from '../../versions/use-restore.tsx';
import { VersionList } from '../../versions/version-list.tsx';
import { StepChanges } from './step-changes.tsx';

interface TaskVersionsProps {
  task: Task;
  onRestored: (task: Task) => void;
}

/** The versions of a task, newest first. Each shows on request what it changed. Those of an application cannot be restored. */
export function TaskVersions({ task, onRestored }: TaskVersionsProps) {
  const { t } = useTranslation();
  const list = useList<TaskVersionListing>([...keys.taskVersions(task.id), task.version], (page) =>
    client.tasks.versions(task.id, page),
  );
  const restore = useRestore({
    restore: (version) => client.tasks.restoreVersion(task.id, version),
    onRestored,
    queryKey: keys.taskVersions(task.id),
  });
  const confirm = ({ version }: TaskVersionListing) =>
    restore(
      version,
      t('taskVersions.restoreText', { next: task.version + 1 }),
      <Comparison task={task} from={task.version} to={version} none={t('versions.sameAsCurrent')} />,
    );
  return (
    <section className="card card-body">
      <VersionList
        list={list}
        current={task.version}
        onRestore={task.application === null ? confirm : undefined}
        changes={({ version }) => <Changes task={task} version={version} />}
      />
    </section>
  );
}

/** What a version changed. Loaded when it is opened; that of the current version at once. */
function Changes({ task, version }: { task: Task; version: number }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(version === task.version);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('taskVersions.show', { version })}</summary>
      {isOpen && <Comparison task={task} from={version - 1} to={version} none={t('versions.same')} />}
    </details>
  );
}

interface ComparisonProps {
  task: Task;
  from: number;
  to: number;
  /** Shown if nothing differs. */
  none: string;
}

function Comparison({ task, from, to, none }: ComparisonProps) {
  const diff = useQuery({
    queryKey: [...keys.taskVersions(task.id), from, to],
    queryFn: () => client.tasks.compareVersions(task.id, from, { to }),
    // Versions never change.
    staleTime: Infinity,
  });
  return <Loaded query={diff}>{({ steps }) => <StepChanges steps={steps} none={none} />}</Loaded>;
}
