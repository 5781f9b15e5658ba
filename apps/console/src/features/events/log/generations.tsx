import type {
  EnvelopeGeneration,
  EnvelopeRun,
  SubscriptionVerdict,
  VerdictOutcome,
} from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { formatDuration } from '../../../ui/format/duration.ts';
import { Time } from '../../../ui/format/time.tsx';
import { usePersonName } from '../../members/person-names.ts';
import { RunStatusBadge } from '../../runs/run-status.tsx';
import { useTaskName } from '../../tasks/task-names.ts';
import { EnvelopeStatusBadge, ReasonText } from './envelope-status.tsx';

interface GenerationsProps {
  envelopeId: string;
  generations: EnvelopeGeneration[];
}

/** All dispatches of an envelope, newest first: its verdicts and runs. */
export function Generations({ envelopeId, generations }: GenerationsProps) {
  const { t } = useTranslation();
  return (
    <section className="stack" aria-labelledby="envelope-generations">
      <h2 id="envelope-generations">{t('generations.title')}</h2>
      {generations.map((generation, i) => (
        <details key={generation.generation} className="generation" open={i === 0}>
          <summary>
            <GenerationSummary generation={generation} />
          </summary>
          <div className="stack generation-body">
            {generation.asOf !== null && (
              <p className="muted">
                {t('generations.asOf')} <Time iso={generation.asOf} />
              </p>
            )}
            <Verdicts envelopeId={envelopeId} generation={generation} />
          </div>
        </details>
      ))}
    </section>
  );
}

function GenerationSummary({ generation }: { generation: EnvelopeGeneration }) {
  const { t } = useTranslation();
  const personName = usePersonName();
  const {
    generation: number,
    requestedBy,
    requestedAt,
    status,
    statusReason,
    only,
    subscriptionIds,
  } = generation;
  const requester = requestedBy === null ? undefined : personName(requestedBy);
  return (
    <span className="row wrap">
      <strong>{number === 0 ? t('generations.first') : t('generations.replay', { number })}</strong>
      <EnvelopeStatusBadge status={status} />
      <span className="muted">
        <Time iso={requestedAt} />
        {requester !== undefined && ` · ${requester}`}
        {only !== null && ` · ${t('generations.onlyFailed')}`}
        {subscriptionIds !== null && ` · ${t('generations.onlySome', { count: subscriptionIds.length })}`}
        {statusReason !== null && (
          <>
            {' · '}
            <ReasonText reason={statusReason} />
          </>
        )}
      </span>
    </span>
  );
}

interface VerdictsProps {
  envelopeId: string;
  generation: EnvelopeGeneration;
}

function Verdicts({ envelopeId, generation: { verdicts, runs, status } }: VerdictsProps) {
  const { t } = useTranslation();
  const taskName = useTaskName();
  if (verdicts.length === 0 && runs.length === 0) {
    return (
      <p className="muted">
        {t(status === 'PENDING' ? 'generations.pending' : 'generations.noSubscription')}
      </p>
    );
  }
  const shown = new Set(verdicts.map(({ subscriptionId }) => subscriptionId));
  const others = runs.filter(({ subscriptionId }) => !shown.has(subscriptionId));
  return (
    <ul className="verdicts">
      {verdicts.map((verdict) => (
        <Verdict
          key={verdict.subscriptionId}
          envelopeId={envelopeId}
          verdict={verdict}
          taskName={taskName}
          run={runs.find(({ subscriptionId }) => subscriptionId === verdict.subscriptionId)}
        />
      ))}
      {others.map((run) => (
        <li key={run.runId}>
          <RunLine run={run} />
        </li>
      ))}
    </ul>
  );
}

const TONES: Record<VerdictOutcome, string> = {
  MATCHED: 'success',
  FILTER_MISMATCH: '',
  FILTER_ERROR: 'danger',
  DISABLED: '',
  TASK_DISABLED: 'warning',
  CREATED_AFTER_EMISSION: '',
  DEBOUNCED: '',
  BATCHED: '',
  LEFT_OUT: '',
};

interface VerdictProps {
  envelopeId: string;
  verdict: SubscriptionVerdict;
  taskName: ReturnType<typeof useTaskName>;
  run: EnvelopeRun | undefined;
}

/** What a subscription made of the event, and what can be done about it. */
export function Verdict({ envelopeId, verdict, taskName, run }: VerdictProps) {
  const { t } = useTranslation();
  const { outcome, reason, subscriptionId, taskId } = verdict;
  return (
    <li>
      <div className="row wrap">
        <Link to={paths.task(taskId)} className="primary-link">
          {run?.taskName ?? taskName(verdict)}
        </Link>
        <span className={`badge ${TONES[outcome]}`}>{t(`verdicts.${outcome}`)}</span>
        <span className="grow" />
        {outcome !== 'MATCHED' && (
          <Link to={paths.subscription(subscriptionId, envelopeId)}>
            {t(
              outcome === 'FILTER_MISMATCH' || outcome === 'FILTER_ERROR'
                ? 'verdicts.editFilter'
                : 'verdicts.open',
            )}
          </Link>
        )}
      </div>
      {run === undefined ? (
        <p className="muted">{reason ?? t(`verdictTexts.${outcome}`)}</p>
      ) : (
        <RunLine run={run} />
      )}
    </li>
  );
}

function RunLine({ run }: { run: EnvelopeRun }) {
  const { t, i18n } = useTranslation();
  return (
    <Link to={paths.run(run.runId)} className="run-line">
      <RunStatusBadge status={run.status} />
      <span>{t('runs.open')}</span>
      {run.durationMs !== null && (
        <span className="muted">{formatDuration(run.durationMs, i18n.language)}</span>
      )}
    </Link>
  );
}
