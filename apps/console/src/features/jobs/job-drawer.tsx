import type { Job } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer } from 'antd';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/code/copy-button.tsx';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { lazyPart } from '../../ui/layout/lazy-part.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { Elapsed } from '../../ui/format/elapsed.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';
import { GivenInput } from './given-input.tsx';
import { jobQuery } from './job-query.ts';
import { hasEnded, JobProgress, JobStatusBadge } from './job-state.tsx';

const Markdown = lazyPart(() =>
  import('../playground/markdown/markdown.tsx').then((module) => ({ default: module.Markdown })),
);

interface JobDrawerProps {
  jobId: string;
  agentName: (job: Job) => string;
  onClose: () => void;
}

/** Shows the current state of a job and follows it until it ends. */
export function JobDrawer({ jobId, agentName, onClose }: JobDrawerProps) {
  const { t } = useTranslation();
  const job = useQuery(jobQuery(jobId));
  return (
    <Drawer open onClose={onClose} size={560} title={job.data ? agentName(job.data) : t('jobs.job')}>
      <Loaded query={job}>{(loaded) => <JobDetails job={loaded} />}</Loaded>
    </Drawer>
  );
}

function JobDetails({ job }: { job: Job }) {
  const { t } = useTranslation();
  const confirm = useConfirmDelete();
  const stoppable = !hasEnded(job);

  const stop = () =>
    confirm({
      title: t('jobs.stopTitle'),
      text: t('jobs.stopText'),
      verb: t('jobs.stop'),
      keep: t('jobs.stopKeep'),
      run: async () => {
        await client.jobs.cancel(job.id);
        await queryClient.invalidateQueries({ queryKey: keys.job(job.id) });
        await queryClient.invalidateQueries({ queryKey: keys.jobs });
      },
    });

  return (
    <div className="stack job">
      <div className="row wrap">
        <JobStatusBadge status={job.status} />
        <JobProgress job={job} />
      </div>
      {job.status === 'INPUT_REQUIRED' && <p className="hint-warning">{t('jobs.answerThere')}</p>}
      <div className="row wrap">
        <Link className="ant-btn-link" to={paths.playground(job.agentId, job.sessionId)}>
          {t('jobs.conversation')}
        </Link>
        {job.startedAt !== null && (
          <Link className="ant-btn-link" to={paths.trace(job.agentId, job.turnId)}>
            {t('playground.trace')}
          </Link>
        )}
        {stoppable && (
          <Button danger size="small" onClick={stop}>
            {t('jobs.stop')}
          </Button>
        )}
      </div>
      <Facts>
        <Fact name={t('jobs.job')}>
          <span className="mono">{job.id}</span>
        </Fact>
        <Fact name={t('jobs.created')}>
          <Time iso={job.createdAt} />
        </Fact>
        {job.startedAt !== null && (
          <Fact name={t('jobs.started')}>
            <Time iso={job.startedAt} />
            {job.finishedAt === null && (
              <span className="muted">
                {' · '}
                <Elapsed from={job.startedAt} to={null} />
              </span>
            )}
          </Fact>
        )}
        {job.finishedAt !== null && (
          <Fact name={t('jobs.finished')}>
            <Time iso={job.finishedAt} />{' '}
            {job.startedAt !== null && <Took from={job.startedAt} to={job.finishedAt} />}
          </Fact>
        )}
      </Facts>
      <GivenInput job={job} />
      {job.error && (
        <section className="error-box" aria-label={t('jobs.statuses.FAILED')}>
          <strong className="mono">{job.error.code}</strong>
          <p>{job.error.message}</p>
        </section>
      )}
      {job.result && <Result result={job.result} />}
    </div>
  );
}

function Took({ from, to }: { from: string; to: string }) {
  const { t } = useTranslation();
  const seconds = (Date.parse(to) - Date.parse(from)) / 1_000;
  return (
    <span className="muted">· {t('jobs.took', { seconds: seconds.toFixed(seconds < 10 ? 2 : 0) })}</span>
  );
}

function Result({ result }: { result: NonNullable<Job['result']> }) {
  const { t } = useTranslation();
  const { whole, charged } = useNumbers();
  const { answer, token_usage: usage } = result;
  return (
    <section className="stack" aria-label={t('jobs.result')}>
      <header className="row">
        <h2 className="grow">{t('jobs.result')}</h2>
        <CopyButton size="small" type="text" text={answer} label={t('playground.copyAnswer')} />
      </header>
      {answer === '' ? (
        <p className="muted">{t('jobs.noText')}</p>
      ) : (
        <Suspense fallback={<p className="plain-answer">{answer}</p>}>
          <Markdown text={answer} streaming={false} />
        </Suspense>
      )}
      <p className="muted">
        {t(usage.estimated ? 'figures.tokensEstimated' : 'figures.tokens', {
          total: whole(usage.total_tokens),
          input: whole(usage.prompt_tokens),
          output: whole(usage.completion_tokens),
        })}
        {' · '}
        {t('figures.cost', { cost: charged(usage.cost, usage.total_tokens) })}
      </p>
    </section>
  );
}
