import { PlusOutlined } from '@ant-design/icons';
import { JOB_STATUSES, type Job } from '@platform/contracts';
import { Button } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { loadPlaygroundTexts } from '../../i18n.ts';
import { paths } from '../../paths.ts';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { DataList, type Column } from '../../ui/lists/data-list.tsx';
import { FilterSelect } from '../../ui/lists/filter-select.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { EmptyState } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useDrawerParam } from '../../ui/url/use-drawer-param.ts';
import { useSearchFilter } from '../../ui/url/use-search-filter.ts';
import { useAgentName } from '../agents/agent-names.ts';
import { SavedViews } from '../views/saved-views.tsx';
import { JobProgress, JobStatusBadge } from './job-state.tsx';
import './jobs.css';
import { useJobs } from './use-jobs.ts';

const NewJobDialog = lazyPart(() =>
  import('./new-job-dialog.tsx').then((module) => ({ default: module.NewJobDialog })),
);
const JobDrawer = lazyPart(async () => {
  const [{ JobDrawer }] = await Promise.all([import('./job-drawer.tsx'), loadPlaygroundTexts()]);
  return { default: JobDrawer };
});

const OPEN = ['open'] as const;

export function Component() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [creating, setCreating] = useSearchFilter('create', OPEN);
  const [status, setStatus] = useSearchFilter('status', JOB_STATUSES);
  const [open, setOpen, closeJob] = useDrawerParam('job');
  const list = useJobs(status);
  const agentName = useAgentName();
  const columns = useJobColumns(agentName, setOpen);

  const create = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setCreating('open')}>
      {t('jobs.create')}
    </Button>
  );

  return (
    <Page title={t('jobs.title')} description={t('jobs.description')} actions={create}>
      <div className="toolbar">
        <FilterSelect
          label={t('jobs.status')}
          any={t('jobs.anyStatus')}
          value={status}
          onChange={setStatus}
          options={JOB_STATUSES.map((one) => ({ value: one, label: t(`jobs.statuses.${one}`) }))}
        />
        <SavedViews page="jobs" />
      </div>
      <DataList
        label={t('jobs.title')}
        list={list}
        columns={columns}
        rowKey={(job) => job.id}
        onRowClick={(job) => setOpen(job.id)}
        empty={
          status === undefined ? (
            <EmptyState title={t('jobs.none')} text={t('jobs.noneText')}>
              {create}
            </EmptyState>
          ) : (
            <EmptyState title={t('jobs.noMatch')} />
          )
        }
      />
      {open !== undefined && (
        <Suspense>
          <JobDrawer jobId={open} agentName={agentName} onClose={closeJob} />
        </Suspense>
      )}
      {creating !== undefined && (
        <Suspense>
          <NewJobDialog
            onClose={() => setCreating(undefined)}
            onCreated={(job) => {
              void navigate(paths.job(job.id), { replace: true });
            }}
          />
        </Suspense>
      )}
    </Page>
  );
}

function useJobColumns(agentName: (job: Job) => string, open: (jobId: string) => void): Column<Job>[] {
  const { t } = useTranslation();
  return [
    {
      key: 'job',
      title: t('jobs.job'),
      render: (job) => (
        <button type="button" className="link-button" onClick={() => open(job.id)}>
          <span className="primary-link">{agentName(job)}</span>
          <div className="muted mono truncate">{job.id}</div>
        </button>
      ),
    },
    {
      key: 'status',
      title: t('jobs.status'),
      width: 160,
      render: (job) => <JobStatusBadge status={job.status} />,
    },
    {
      key: 'progress',
      title: t('jobs.progress'),
      width: 280,
      render: (job) => <JobProgress job={job} />,
    },
    { key: 'created', title: t('jobs.created'), width: 130, render: (job) => <Time iso={job.createdAt} /> },
  ];
}
