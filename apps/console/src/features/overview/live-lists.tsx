import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { getErrorMessage } from '../../ui/layout/errors.ts';
import { Time } from '../../ui/format/time.tsx';
import { useAgentName } from '../agents/agent-names.ts';
import { JobStatusBadge } from '../jobs/job-state.tsx';
import { RunStatusBadge } from '../runs/run-status.tsx';
import { RunCause } from '../runs/run-facts.tsx';
import { latestJobsQuery, latestRunsQuery } from './live-queries.ts';

export function LiveRuns() {
  const { t } = useTranslation();
  const runs = useQuery(latestRunsQuery);
  return (
    <Latest
      title={t('overview.latestRuns')}
      to={paths.runs()}
      query={runs}
      empty={t('runs.noneText')}
      count={runs.data?.items.length}
    >
      {runs.data?.items.map((run) => (
        <li key={run.id}>
          <Link to={paths.run(run.id)} className="primary-link truncate grow">
            {run.taskName}
            <small className="muted">
              <RunCause run={run} />
            </small>
          </Link>
          <RunStatusBadge status={run.status} />
          <span className="muted latest-time">
            <Time iso={run.createdAt} />
          </span>
        </li>
      ))}
    </Latest>
  );
}

export function LiveJobs() {
  const { t } = useTranslation();
  const jobs = useQuery(latestJobsQuery);
  const agentName = useAgentName();
  return (
    <Latest
      title={t('overview.latestJobs')}
      to={paths.jobs}
      query={jobs}
      empty={t('jobs.noneText')}
      count={jobs.data?.items.length}
    >
      {jobs.data?.items.map((job) => (
        <li key={job.id}>
          <Link to={paths.job(job.id)} className="primary-link truncate grow">
            {agentName(job)}
          </Link>
          <JobStatusBadge status={job.status} />
          <span className="muted latest-time">
            <Time iso={job.createdAt} />
          </span>
        </li>
      ))}
    </Latest>
  );
}

interface LatestProps {
  title: string;
  to: string;
  query: { isPending: boolean; error: Error | null };
  empty: string;
  count: number | undefined;
  children: ReactNode;
}

function Latest({ title, to, query, empty, count, children }: LatestProps) {
  const { t } = useTranslation();
  return (
    <section className="card" aria-label={title}>
      <header className="card-head row">
        <h2 className="grow">{title}</h2>
        <Link to={to} aria-label={t('overview.allOf', { name: title })}>
          {t('overview.all')}
        </Link>
      </header>
      <div className="card-body">
        {query.isPending && <span className="skeleton-bar" />}
        {query.error !== null && count === undefined && (
          <p className="danger-text">{getErrorMessage(query.error, t)}</p>
        )}
        {count === 0 && <p className="muted">{empty}</p>}
        <ul className="latest">{children}</ul>
      </div>
    </section>
  );
}
