import type { Task, TaskVersionListing } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../../api.ts';
import { hasUnsavedInput } from '../../../ui/browser/unsaved-input.ts';
import { Time } from '../../../ui/format/time.tsx';
import { getErrorMessage } from '../../../ui/layout/errors.ts';
import { ErrorState } from '../../../ui/layout/states.tsx';
import { useList } from '../../../ui/lists/use-list.ts';
import { StepChanges } from './step-changes.tsx';
import '../../../ui/diff/versions.css';

interface TaskVersionsProps {
  task: Task;
  onRestored: (task: Task) => void;
}

/** The versions of a task, newest first. Each shows on request what it changed. */
export function TaskVersions({ task, onRestored }: TaskVersionsProps) {
  const { t } = useTranslation();
  const { message, modal } = App.useApp();
  const list = useList<TaskVersionListing>([...keys.taskVersions(task.id), task.version], (page) =>
    client.tasks.versions(task.id, page),
  );
  const restore = useMutation({
    mutationFn: (version: number) => client.tasks.restoreVersion(task.id, version),
    onSuccess: (stored, version) => {
      onRestored(stored);
      void queryClient.invalidateQueries({ queryKey: keys.taskVersions(task.id) });
      void message.success(t('versions.restored', { version }));
    },
    onError: (error) => void message.error(getErrorMessage(error, t)),
  });
  const confirm = (version: number) =>
    void modal.confirm({
      title: t('versions.restoreTitle', { version }),
      width: 640,
      icon: null,
      content: (
        <div className="stack">
          <p className="muted">{t('taskVersions.restoreText', { next: task.version + 1 })}</p>
          {hasUnsavedInput() && <p className="warning-text">{t('versions.unsaved')}</p>}
          <Comparison task={task} from={task.version} to={version} none={t('versions.sameAsCurrent')} />
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
    <section className="card card-body">
      {list.error && <ErrorState error={list.error} retry={list.retry} />}
      {list.loading && <span className="skeleton-bar" />}
      <ol className="versions">
        {list.items.map((one) => (
          <li key={one.version}>
            <div className="row wrap">
              <h2>{t('versions.number', { version: one.version })}</h2>
              {one.version === task.version && <span className="badge success">{t('versions.current')}</span>}
              <span className="muted grow">
                <Time iso={one.createdAt} />
                {one.author !== null && ` · ${one.author.name}`}
              </span>
              {one.version !== task.version && task.application === null && (
                <Button
                  size="small"
                  aria-label={t('versions.restoreNamed', { version: one.version })}
                  onClick={() => confirm(one.version)}
                >
                  {t('versions.restore')}
                </Button>
              )}
            </div>
            {one.version === 1 ? (
              <p className="muted">{t('versions.first')}</p>
            ) : (
              <Changes task={task} version={one.version} />
            )}
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <Button block onClick={list.loadMore} loading={list.loadingMore}>
          {t('common.loadMore')}
        </Button>
      )}
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
  if (diff.isPending) return <span className="skeleton-bar" />;
  if (diff.data === undefined) return <ErrorState error={diff.error} retry={() => void diff.refetch()} />;
  return <StepChanges steps={diff.data.steps} none={none} />;
}
