import { RedoOutlined, StopOutlined } from '@ant-design/icons';
import type { Run } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { client, keys, queryClient } from '../../api.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/layout/card.tsx';
import { formatDuration } from '../../ui/format/duration.ts';
import { Fact, Facts } from '../../ui/layout/facts.tsx';
import { JsonView } from '../../ui/code/json-view.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loaded } from '../../ui/layout/states.tsx';
import { Time } from '../../ui/format/time.tsx';
import { useConfirmDelete } from '../../ui/forms/use-confirm-delete.ts';
import { hasRunEnded, RunStatusBadge } from './run-status.tsx';
import { STEP_KINDS } from '../tasks/steps/step-kinds.ts';
import { RetryDialog } from './retry-dialog.tsx';
import { runQuery } from './run-query.ts';
import { RunTimeline } from './run-timeline.tsx';
import { numberAttempts, RunCause, WholeDuration } from './run-facts.tsx';
import '../inbox/inbox.css';
import './runs.css';

/** A run: its steps on a timeline. Reloaded while the run is active. */
export function Component() {
  const { runId = '' } = useParams();
  const run = useQuery(runQuery(runId));
  return <Loaded query={run}>{(loaded) => <RunDetails key={runId} run={loaded} />}</Loaded>;
}

/** Tests are started anew, and what was erased cannot be attempted again. */
const canRetry = ({ status, isTest, erasedAt }: Run): boolean =>
  hasRunEnded(status) && status !== 'SUCCEEDED' && !isTest && erasedAt === null;

function keepRun(changed: Run): void {
  queryClient.setQueryData(keys.run(changed.id), changed);
  void queryClient.invalidateQueries({ queryKey: keys.runs });
}

function RunDetails({ run }: { run: Run }) {
  const { t } = useTranslation();
  // The step at which the retry begins; null for the one that failed.
  const [retried, setRetried] = useState<{ from: string | null }>();
  return (
    <Page
      title={run.taskName}
      parent={{ to: paths.task(run.taskId, 'runs'), label: t('runs.ofTask', { name: run.taskName }) }}
      actions={<RunActions run={run} onRetry={() => setRetried({ from: null })} />}
      description={<RunStates run={run} />}
    >
      <div className="run">
        <div className="stack-cards">
          {/* The step that failed shows the same error. */}
          {run.error && run.steps.every(({ error }) => error === undefined) && (
            <section className="error-box" aria-label={t('runs.error')}>
              <strong className="mono">{run.error.code}</strong>
              <p>{run.error.message}</p>
            </section>
          )}
          {run.erasedAt !== null && (
            <p className="muted">
              {t('erasure.ofRun')} <Time iso={run.erasedAt} />
            </p>
          )}
          {run.waitsForKey !== null && (
            <p className="muted">
              {t('runs.waitsForKey', { count: run.waitsForKey.perKey })}{' '}
              {run.waitsForKey.runIds.map((id) => (
                <Link key={id} className="mono" to={paths.run(id)}>
                  {id}{' '}
                </Link>
              ))}
            </p>
          )}
          {run.questions.map(({ id, message }) => (
            <section key={id} className="run-question" aria-label={t('runs.question')}>
              <p className="inbox-text">{message}</p>
              <Link className="ant-btn-link" to={paths.question(id)}>
                {t('runs.toAnswer')}
              </Link>
            </section>
          ))}
          <Card title={t('runs.steps')}>
            <RunTimeline
              run={run}
              {...(canRetry(run) && { onRetry: (from: string) => setRetried({ from }) })}
            />
          </Card>
          {run.attempts.length > 1 && <Attempts run={run} />}
          {run.trigger !== null && run.erasedAt === null && (
            <Card title={t('runs.trigger')}>
              <JsonView value={run.trigger} label={t('runs.trigger')} />
            </Card>
          )}
          {Object.keys(run.inputs).length > 0 && (
            <Card title={t('runs.inputs')}>
              <JsonView value={run.inputs} label={t('runs.inputs')} />
            </Card>
          )}
        </div>
        <aside className="card run-facts" aria-label={t('runs.details')}>
          <div className="card-body">
            <RunFacts run={run} />
          </div>
        </aside>
      </div>
      {retried && (
        <RetryDialog
          run={run}
          from={retried.from}
          onRetried={keepRun}
          onClose={() => setRetried(undefined)}
        />
      )}
    </Page>
  );
}

/** Its status, of a test also with which effects, and how long it took. */
function RunStates({ run }: { run: Run }) {
  const { t } = useTranslation();
  return (
    <span className="row wrap">
      <span role="status">
        <RunStatusBadge status={run.status} />
      </span>
      {run.test && <span className="badge plain">{t(`taskTest.badges.${run.test.effects}`)}</span>}
      {run.cancelRequested && !hasRunEnded(run.status) && (
        <span className="badge warning">{t('runs.canceling')}</span>
      )}
      <span>
        <WholeDuration run={run} />
      </span>
    </span>
  );
}

/** Whether no event was recorded that the run could lead to. */
const isMadeUp = ({ test }: Run): boolean => test !== null && test.envelopeId === null;

function RunFacts({ run }: { run: Run }) {
  const { t } = useTranslation();
  return (
    <Facts>
      <Fact name={t('runs.started')}>
        {run.trigger === null || isMadeUp(run) ? (
          <RunCause run={run} />
        ) : (
          <Link to={paths.envelope(run.trigger.id)}>
            <RunCause run={run} />
          </Link>
        )}
      </Fact>
      <Fact name={t('runs.task')}>
        <Link to={paths.task(run.taskId)}>{run.taskName}</Link>
      </Fact>
      {run.taskVersion !== null && (
        <Fact name={t('runs.version')}>
          <Link to={paths.task(run.taskId, 'versions')}>
            {t('versions.number', { version: run.taskVersion })}
          </Link>
        </Fact>
      )}
      <Fact name={t('runs.created')}>
        <Time iso={run.createdAt} />
      </Fact>
      {run.finishedAt !== null && (
        <Fact name={t('runs.finished')}>
          <Time iso={run.finishedAt} />
        </Fact>
      )}
      <Fact name={t('runs.attempt')}>{numberAttempts(run.attempts).at(-1) ?? run.attempt}</Fact>
      {run.steps.some(({ kind }) => STEP_KINDS[kind].hasTurns) && (
        <Fact name={t('runs.turns')}>
          <Link to={paths.traces({ run: run.id })}>{t('runs.openTraces')}</Link>
        </Fact>
      )}
      <Fact name={t('runs.id')}>
        <span className="mono">{run.id}</span>
      </Fact>
    </Facts>
  );
}

function Attempts({ run }: { run: Run }) {
  const { t, i18n } = useTranslation();
  const numbers = numberAttempts(run.attempts);
  return (
    <section className="card" aria-labelledby="run-attempts">
      <header className="card-head">
        <h2 id="run-attempts">{t('runs.attempts')}</h2>
        <p>{t('runs.attemptsText')}</p>
      </header>
      <ol className="card-body attempts">
        {run.attempts.map(({ attempt, status, startedAt, finishedAt, error }, i) => (
          <li key={attempt}>
            <div className="row wrap">
              <strong>{t('runs.attemptNumber', { number: numbers[i] })}</strong>
              <RunStatusBadge status={status} />
              <span className="muted">
                <Time iso={startedAt} />
                {finishedAt !== null &&
                  ` · ${formatDuration(Date.parse(finishedAt) - Date.parse(startedAt), i18n.language)}`}
              </span>
            </div>
            {error && (
              <p className="danger-text">
                <span className="mono">{error.code}</span> {error.message}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function RunActions({ run, onRetry }: { run: Run; onRetry: () => void }) {
  const { t } = useTranslation();
  const confirm = useConfirmDelete();
  const cancel = () =>
    confirm({
      title: t('runs.cancelTitle'),
      text: t('runs.cancelText'),
      verb: t('runs.cancel'),
      keep: t('runs.keep'),
      run: async () => keepRun(await client.runs.cancel(run.id)),
    });
  if (!hasRunEnded(run.status)) {
    return (
      <Button danger icon={<StopOutlined aria-hidden />} onClick={cancel} disabled={run.cancelRequested}>
        {t('runs.cancel')}
      </Button>
    );
  }
  return (
    canRetry(run) && (
      <Button icon={<RedoOutlined aria-hidden />} onClick={onRetry}>
        {t('runs.retry')}
      </Button>
    )
  );
}
