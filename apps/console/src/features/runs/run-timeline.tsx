import { DownOutlined } from '@ant-design/icons';
import type { Run, RunStep } from '@platform/contracts';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../ui/format/duration.ts';
import { JsonView } from '../../ui/code/json-view.tsx';
import { hasRunEnded, RunStatusBadge } from './run-status.tsx';
import { layOutSteps, type TimelineBar } from './timeline.ts';

/** The last execution of each step, in order, each with a bar for its time. */
export function RunTimeline({ run }: { run: Run }) {
  const { t, i18n } = useTranslation();
  const { steps, status } = run;
  const { bars, totalMs } = layOutSteps(steps, Date.now());
  if (steps.length === 0) {
    return <p className="muted">{t(hasRunEnded(status) ? 'runs.noSteps' : 'runs.notStarted')}</p>;
  }
  // What went wrong is what people look for, and before that, what happens now.
  const failed = steps.findLastIndex(({ error }) => error !== undefined);
  const opened = failed === -1 ? steps.findIndex((step) => step.status === 'RUNNING') : failed;
  return (
    <>
      <ol className="timeline">
        {steps.map((step, i) => (
          <li key={step.scope}>
            <TimelineStep step={step} bar={bars[i]} isOpen={i === (opened === -1 ? 0 : opened)} />
          </li>
        ))}
      </ol>
      <p className="muted timeline-total">
        {t('runs.total', { duration: formatDuration(totalMs, i18n.language) })}
      </p>
    </>
  );
}

interface TimelineStepProps {
  step: RunStep;
  bar: TimelineBar | undefined;
  isOpen: boolean;
}

function TimelineStep({ step, bar, isOpen }: TimelineStepProps) {
  const { t, i18n } = useTranslation();
  const { scope, kind, status, durationMs, error, log, input, output } = step;
  return (
    <details open={isOpen} className={`step ${status.toLowerCase()}`}>
      <summary>
        <DownOutlined aria-hidden className="fold" />
        <span className="step-name">
          <span className="mono truncate">{scope}</span>
          <small className="muted">{t(`stepKinds.${kind}`)}</small>
        </span>
        <span className="step-bar" aria-hidden>
          {bar && <span style={{ marginInlineStart: `${bar.start}%`, width: `${bar.width}%` }} />}
        </span>
        <span className="muted step-time">
          {durationMs === null
            ? t(status === 'WAITING' ? 'runs.statuses.WAITING' : 'runs.running')
            : formatDuration(durationMs, i18n.language)}
        </span>
        <RunStatusBadge status={status} />
      </summary>
      <div className="stack step-body">
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
      </div>
    </details>
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
