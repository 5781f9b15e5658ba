import { CloseOutlined, StopOutlined } from '@ant-design/icons';
import type { Run, Task, Workflow } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Alert, Button, Form, Radio, Segmented } from 'antd';
import { useCallback, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { CodeField } from '../../../ui/code/code-field.tsx';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { getNumberProblem } from '../../../ui/code/parse-json.ts';
import { getProblems } from '../../../ui/layout/errors.ts';
import { catalogQuery, findEvent, parseEventKey } from '../../events/catalog/catalog-query.ts';
import { EventSelect } from '../../events/catalog/event-select.tsx';
import { createSample } from '../../events/catalog/schema.ts';
import { hasRunEnded, RunStatusBadge } from '../../runs/run-status.tsx';
import { RunTimeline } from '../../runs/run-timeline.tsx';
import '../../runs/runs.css';
import { PastEvents } from './past-events.tsx';
import { toTestRequest, type TestInput, type TestSource } from './test-input.ts';
import type { Effects, TaskTest } from './use-task-test.ts';

const EFFECTS: readonly Effects[] = ['none', 'real'];

interface TestPanelProps {
  test: TaskTest;
  /** Returns the workflow if it is not the stored one; null if it is not valid, which is shown at its fields. */
  readWorkflow: () => Promise<{ workflow?: Workflow } | null>;
  /** Shows an error at the steps that it names. */
  onRefused?: (error: Error) => void;
}

/** Tests a task, also with changes that are not saved, and shows what each step did. */
export function TestPanel({ test, readWorkflow, onRefused }: TestPanelProps) {
  const { t } = useTranslation();
  const { task, effects, input, run, error } = test;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // Nothing has the focus if the form around it was only drawn anew.
    if (document.activeElement !== document.body) panel.current?.focus();
  }, []);
  const request = toTestRequest(input);
  const start = async () => {
    const tested = request && (await readWorkflow());
    if (tested) test.start({ ...request, ...tested, effects }, onRefused);
  };
  return (
    <aside ref={panel} className="card task-test" aria-label={t('taskTest.title')} tabIndex={-1}>
      <header className="card-head row">
        <h2 className="grow">{t('taskTest.title')}</h2>
        <Button
          type="text"
          icon={<CloseOutlined aria-hidden />}
          aria-label={t('taskTest.close')}
          onClick={() => test.setOpen(false)}
        />
      </header>
      <div className="card-body stack">
        <Form layout="vertical" component="div" className="task-test-input">
          <InputFields task={task} input={input} onChange={test.change} />
          <EffectsField value={effects} onChange={test.setEffects} />
        </Form>
        <Button
          type="primary"
          block
          disabled={request === null}
          loading={test.isStarting}
          onClick={() => void start()}
        >
          {t('taskTest.start')}
        </Button>
        {error && <Refusal error={error} />}
        {run && <TestResult run={run} onStop={test.stop} />}
      </div>
    </aside>
  );
}

interface InputFieldsProps {
  task: Task;
  input: TestInput;
  onChange: (changes: Partial<TestInput>) => void;
}

/** What the test is given. */
function InputFields({ task, input, onChange }: InputFieldsProps) {
  const { t } = useTranslation();
  const { source, envelopeId, pastEventKey, eventKey, payload, inputs } = input;
  const catalog = useQuery({ ...catalogQuery, enabled: source === 'event' });
  const choose = useCallback((id: string | undefined) => onChange({ envelopeId: id }), [onChange]);
  const takeSample = (key: string) => {
    const event = findEvent(catalog.data, parseEventKey(key));
    onChange({ eventKey: key, ...(event && { payload: formatJson(createSample(event.payloadSchema)) }) });
  };
  const isUnreadable = toTestRequest({ ...input, eventKey: eventKey ?? '' }) === null && source !== 'past';
  const problem = isUnreadable && (
    <span className="danger-text" role="status">
      {getNumberProblem(source === 'inputs' ? inputs : payload, t) ?? t('emission.notAnObject')}
    </span>
  );
  return (
    <>
      {task.type === 'EVENT' && (
        <Segmented<TestSource>
          block
          aria-label={t('taskTest.with')}
          value={source}
          options={(['past', 'event'] as const).map((value) => ({
            value,
            label: t(`taskTest.sources.${value}`),
          }))}
          onChange={(next) => onChange({ source: next })}
        />
      )}
      {source === 'past' && (
        <PastEvents
          task={task}
          eventKey={pastEventKey}
          onEvent={(key) => onChange({ pastEventKey: key, envelopeId: undefined })}
          value={envelopeId}
          onChange={choose}
        />
      )}
      {source === 'event' && (
        <>
          <Form.Item label={t('taskTest.event')} htmlFor="test-event">
            <EventSelect id="test-event" value={eventKey} onChange={takeSample} />
          </Form.Item>
          <Form.Item label={t('eventLog.payload')} extra={problem}>
            <CodeField
              language="json"
              label={t('eventLog.payload')}
              value={payload}
              onChange={(text) => onChange({ payload: text })}
            />
          </Form.Item>
        </>
      )}
      {source === 'inputs' && (
        <Form.Item label={t('runs.inputs')} extra={problem || t('taskTest.inputsHint')}>
          <CodeField
            language="json"
            label={t('runs.inputs')}
            value={inputs}
            onChange={(text) => onChange({ inputs: text })}
          />
        </Form.Item>
      )}
    </>
  );
}

function EffectsField({ value, onChange }: { value: Effects; onChange: (effects: Effects) => void }) {
  const { t } = useTranslation();
  return (
    <>
      <Radio.Group
        className="test-effects"
        aria-label={t('taskTest.effects')}
        value={value}
        onChange={({ target }) => onChange(target.value as Effects)}
      >
        {EFFECTS.map((one) => (
          <Radio key={one} value={one}>
            {t(`taskTest.effectsOf.${one}`)}
          </Radio>
        ))}
      </Radio.Group>
      {value === 'none' ? (
        <p className="muted test-effects-text">{t('taskTest.effectsText.none')}</p>
      ) : (
        <Alert
          type="warning"
          showIcon
          title={t('taskTest.realWarning')}
          description={t('taskTest.effectsText.real')}
        />
      )}
    </>
  );
}

/** Why the test was refused. What is wrong with steps is shown at them. */
function Refusal({ error }: { error: Error }) {
  const { t } = useTranslation();
  const problems = getProblems(error, t);
  const others = problems.filter((problem) => !problem.startsWith('workflow.'));
  return (
    <div className="error-box" role="alert">
      {others.length < problems.length && <p>{t('taskTest.stepsMarked')}</p>}
      {others.map((problem) => (
        <p key={problem}>{problem}</p>
      ))}
    </div>
  );
}

function TestResult({ run, onStop }: { run: Run; onStop: () => void }) {
  const { t } = useTranslation();
  const result = useRef<HTMLElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which is no cleanup.
    result.current?.scrollIntoView({ block: 'nearest' });
  }, [run.id]);
  return (
    <section ref={result} className="stack test-result" aria-label={t('taskTest.result')}>
      <div className="row wrap">
        <span role="status">
          <RunStatusBadge status={run.status} />
        </span>
        {run.test?.workflow && <span className="badge plain">{t('taskTest.unsaved')}</span>}
        <span className="grow" />
        {!hasRunEnded(run.status) && (
          <Button size="small" icon={<StopOutlined aria-hidden />} onClick={onStop}>
            {t('taskTest.stop')}
          </Button>
        )}
        <Link to={paths.run(run.id)}>{t('runs.open')}</Link>
      </div>
      {run.error && run.steps.every((step) => step.error === undefined) && (
        <div className="error-box">
          <strong className="mono">{run.error.code}</strong>
          <p>{run.error.message}</p>
        </div>
      )}
      {/* Which step is open is decided anew for each test. */}
      <RunTimeline key={run.id} run={run} />
    </section>
  );
}
