import type { ScheduledTime } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys } from '../../../api.ts';
import { paths } from '../../../paths.ts';
import { Time } from '../../../ui/format/time.tsx';
import { EmptyState } from '../../../ui/layout/states.tsx';
import { DataList, type Column } from '../../../ui/lists/data-list.tsx';
import { useList } from '../../../ui/lists/use-list.ts';

const TONES: Record<ScheduledTime['outcome'], string> = {
  STARTED: 'success',
  JOINED: '',
  SKIPPED: 'warning',
};

/** What became of the due times of a task, the latest first. */
export function ScheduledTimes({ taskId }: { taskId: string }) {
  const { t } = useTranslation();
  const list = useList<ScheduledTime>(keys.scheduledTimes(taskId), (page) =>
    client.tasks.scheduledTimes(taskId, page),
  );
  const columns: Column<ScheduledTime>[] = [
    { key: 'dueAt', title: t('schedule.dueAt'), width: 160, render: ({ dueAt }) => <Time iso={dueAt} /> },
    {
      key: 'outcome',
      title: t('schedule.outcome'),
      width: 130,
      render: ({ outcome }) => (
        <span className={`badge ${TONES[outcome]}`}>{t(`schedule.outcomes.${outcome}`)}</span>
      ),
    },
    {
      key: 'run',
      title: t('schedule.run'),
      render: ({ outcome, runId, waitsFor, missed }) => (
        <>
          <Link to={paths.run(runId)}>{t(`schedule.notes.${waitsFor === null ? outcome : 'WAITING'}`)}</Link>
          {missed > 0 && <div className="muted">{t('schedule.missedTimes', { count: missed })}</div>}
        </>
      ),
    },
  ];
  return (
    <DataList
      label={t('schedule.times')}
      list={list}
      columns={columns}
      rowKey={({ dueAt }) => dueAt}
      empty={<EmptyState title={t('schedule.noTimes')} />}
    />
  );
}
