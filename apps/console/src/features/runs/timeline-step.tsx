import { DownOutlined, RedoOutlined } from '@ant-design/icons';
import type { RunStep } from '@platform/contracts';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { JsonView } from '../../ui/code/json-view.tsx';
import { formatDuration } from '../../ui/format/duration.ts';
import { Elapsed } from '../../ui/format/elapsed.tsx';
import { RunStatusBadge } from './run-status.tsx';
import type { TimelineBar } from './timeline.ts';

interface TimelineStepProps {
  step: RunStep;
  bar: TimelineBar | undefined;
  isOpen: boolean;
  /** The question whose answer it waits for. */
  questionId: string | undefined;
  /** Retries the run from this step; undefined if that is not possible. */
  onRetry: (() => void) | undefined;
}

/** A step of a run: how long it took, and what it was given, wrote, and returned. */
export function TimelineStep({ step, bar, isOpen, questionId, onRetry }: TimelineStepProps) {
  const { t, i18n } = useTranslation();
  const { id, scope, kind, status, stepAttempt, durationMs } = step;
  return (
    <details open={isOpen} className={`step ${status.toLowerCase()}`}>
      <summary>
        <DownOutlined aria-hidden className="fold" />
        <span className="step-name">
          <span className="mono truncate" title={scope}>
            {id}
          </span>
          <small className="muted">
            {t(`stepKinds.${kind}`)}
            {stepAttempt > 1 && ` · ${t('runs.executions', { count: stepAttempt })}`}
          </small>
        </span>
        <span className="step-bar" aria-hidden>
          {bar && <span style={{ marginInlineStart: `${bar.start}%`, width: `${bar.width}%` }} />}
        </span>
        <span className="muted step-time">
          {durationMs !== null
            ? status !== 'SKIPPED' && formatDuration(durationMs, i18n.language)
            : status === 'RUNNING' && <Elapsed from={step.startedAt} to={null} />}
        </span>
        <StepBadge step={step} />
      </summary>
      <div className="stack step-body">
        {status === 'WAITING' && <Awaited step={step} questionId={questionId} />}
        {status === 'SKIPPED' && <p className="muted">{t('runs.skipped')}</p>}
        {step.simulated && <Simulation step={step} by={step.simulated} />}
        <StepResult step={step} />
        {onRetry && (
          <Button size="small" icon={<RedoOutlined aria-hidden />} onClick={onRetry}>
            {t('retry.fromHere')}
          </Button>
        )}
      </div>
    </details>
  );
}

/** What became of a step: of one with items, how many of them failed. */
function StepBadge({ step: { status, simulated, items } }: { step: RunStep }) {
  const { t } = useTranslation();
  if (items && items.failed > 0) {
    const tone = status === 'FAILED' ? 'danger' : 'warning';
    return <span className={`badge ${tone}`}>{t('runs.itemsFailed', { ...items })}</span>;
  }
  return simulated && status === 'SUCCEEDED' ? (
    <span className="badge simulated">{t('runs.simulated')}</span>
  ) : (
    <RunStatusBadge status={status} />
  );
}

/** Where the output came from if the step was not executed. */
function Simulation({ step: { kind }, by }: { step: RunStep; by: NonNullable<RunStep['simulated']> }) {
  const { t } = useTranslation();
  const what = kind === 'code' ? 'calls' : 'step';
  return (
    <p className="muted">
      {t(`runs.simulations.${what}`)} {t(`runs.simulations.${by.by}`)}{' '}
      {by.runId !== null && <Link to={paths.run(by.runId)}>{t('runs.open')}</Link>}
    </p>
  );
}

/** What a step waits for. */
function Awaited({ step: { kind, input }, questionId }: { step: RunStep; questionId: string | undefined }) {
  const { t } = useTranslation();
  if (questionId !== undefined)
    return (
      <p>
        {t('runs.awaited.answer')} <Link to={paths.question(questionId)}>{t('runs.awaited.inbox')}</Link>
      </p>
    );
  if (kind !== 'wait') return <p>{t(kind === 'task' ? 'runs.awaited.task' : 'runs.awaited.inside')}</p>;
  const waited = (input ?? {}) as { for?: string; until?: string; event?: { event?: string } };
  if (waited.event) return <p>{t('runs.awaited.event', { event: waited.event.event ?? '' })}</p>;
  return <p>{t('runs.awaited.time', { time: waited.until ?? waited.for ?? '' })}</p>;
}

function StepResult({ step: { scope, error, log, input, output } }: { step: RunStep }) {
  const { t } = useTranslation();
  return (
    <>
      {error && (
        <div className="error-box">
          <strong className="mono">{error.code}</strong>
          <p>{error.message}</p>
        </div>
      )}
      {log !== '' && (
        <Section title={t('runs.log')}>
          <pre
            className="code-block step-log"
            tabIndex={0}
            role="group"
            aria-label={t('runs.logOf', { step: scope })}
          >
            {log}
          </pre>
        </Section>
      )}
      {hasValue(output) && (
        <Section title={t('runs.output')}>
          <JsonView value={output} label={t('runs.outputOf', { step: scope })} />
        </Section>
      )}
      {hasValue(input) && (
        <Section title={t('runs.input')}>
          <JsonView value={input} label={t('runs.inputOf', { step: scope })} />
        </Section>
      )}
    </>
  );
}

const hasValue = (value: unknown): boolean => value !== undefined && value !== null;

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
