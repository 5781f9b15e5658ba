import type { PlannedStep, Run } from '@platform/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Alert, Button, Form, Modal, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys } from '../../api.ts';
import { getErrorMessage, isConflict } from '../../ui/layout/errors.ts';
import { StepChanges } from '../tasks/versions/step-changes.tsx';
import '../../ui/diff/versions.css';

interface RetryDialogProps {
  run: Run;
  /** The step at which the retry begins; null for the one that failed. */
  from: string | null;
  onRetried: (run: Run) => void;
  onClose: () => void;
}

/** Shows what a retry would execute again before it starts. */
export function RetryDialog({ run, from: chosen, onRetried, onClose }: RetryDialogProps) {
  const { t } = useTranslation();
  const [from, setFrom] = useState(chosen);
  const [version, setVersion] = useState<number>();
  const request = { ...(from !== null && { from }), ...(version !== undefined && { version }) };
  const task = useQuery({ queryKey: keys.task(run.taskId), queryFn: () => client.tasks.get(run.taskId) });
  const preview = useQuery({
    queryKey: [...keys.run(run.id), 'retry', run.attempt, request],
    queryFn: () => client.runs.previewRetry(run.id, request),
    // The task may have changed since the dialog was open for the last time.
    staleTime: 0,
    placeholderData: (before) => before,
  });
  const retry = useMutation({
    mutationFn: () => client.runs.retry(run.id, request),
    onSuccess: (retried) => {
      onRetried(retried);
      onClose();
    },
  });
  /** Why the last choice was refused says nothing about the next one. */
  const choosing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      retry.reset();
      set(value);
    };
  const error = retry.error ?? preview.error;
  const isCurrent = version === undefined || version === task.data?.version;
  const showsChanges = isConflict(error) && isCurrent && run.taskVersion !== null;
  return (
    <Modal
      open
      title={t('retry.title', { name: run.taskName })}
      okText={t('runs.retry')}
      okButtonProps={{ disabled: preview.isError || preview.isPlaceholderData || !preview.data }}
      confirmLoading={retry.isPending}
      cancelText={t('common.cancel')}
      width={620}
      onOk={() => retry.mutate()}
      onCancel={onClose}
    >
      <Form layout="vertical" component="div">
        <div className="form-pair">
          <StartField run={run} value={from} onChange={choosing(setFrom)} />
          <VersionField
            begun={run.taskVersion}
            current={task.data?.version}
            value={version}
            onChange={choosing(setVersion)}
          />
        </div>
      </Form>
      {error && showsChanges && (
        <ChangedSteps run={run} refusal={error} onUseVersion={choosing(setVersion)} />
      )}
      {error && !showsChanges && <Alert type="error" showIcon title={getErrorMessage(error, t)} />}
      {!error && !preview.data && <span className="skeleton-bar" />}
      {!error && preview.data && (
        <div className="stack" aria-busy={preview.isPlaceholderData}>
          <PlannedSteps title={t('retry.repeated')} steps={preview.data.repeated} none={t('retry.onlyNew')} />
          <EffectsNote steps={preview.data.repeated} />
          {preview.data.kept.length > 0 && (
            <details className="kept-steps">
              <summary>{t('retry.kept', { count: groupSteps(preview.data.kept).length })}</summary>
              <PlannedSteps title={t('retry.keptTitle')} steps={preview.data.kept} />
            </details>
          )}
        </div>
      )}
    </Modal>
  );
}

/** At which step the retry begins: at the one that failed, or an earlier one that no other contains. */
function StartField({
  run,
  value,
  onChange,
}: {
  run: Run;
  value: string | null;
  onChange: (from: string | null) => void;
}) {
  const { t } = useTranslation();
  const steps = run.steps.filter(({ id, scope }) => id === scope);
  return (
    <Form.Item label={t('retry.from')} htmlFor="retry-from">
      <Select
        id="retry-from"
        value={value ?? ''}
        options={[
          { value: '', label: t('retry.whereItStopped') },
          ...steps.map(({ id }) => ({ value: id, label: id })),
        ]}
        onChange={(next) => onChange(next === '' ? null : next)}
      />
    </Form.Item>
  );
}

interface VersionFieldProps {
  begun: number | null;
  current: number | undefined;
  value: number | undefined;
  onChange: (version: number) => void;
}

/** Shown if the task has changed since the run began. */
function VersionField({ begun, current, value, onChange }: VersionFieldProps) {
  const { t } = useTranslation();
  if (begun === null || current === undefined || begun === current) return null;
  return (
    <Form.Item label={t('retry.version')} htmlFor="retry-version">
      <Select<number>
        id="retry-version"
        value={value ?? current}
        options={[
          { value: current, label: t('retry.current', { version: current }) },
          { value: begun, label: t('retry.ofRun', { version: begun }) },
        ]}
        onChange={onChange}
      />
    </Form.Item>
  );
}

interface StepGroup {
  name: string;
  kind: PlannedStep['kind'];
  hasEffects: boolean;
  count: number;
}

/** The same step of several items is one group. */
function groupSteps(steps: readonly PlannedStep[]): StepGroup[] {
  const groups = Map.groupBy(steps, ({ scope }) => scope.replaceAll(/\[\d+\]/g, ''));
  return [...groups].flatMap(([place, of]) =>
    of[0]
      ? { name: place, kind: of[0].kind, hasEffects: of.some((one) => one.hasEffects), count: of.length }
      : [],
  );
}

function PlannedSteps({
  title,
  steps,
  none,
}: {
  title: string;
  steps: readonly PlannedStep[];
  none?: string;
}) {
  const { t } = useTranslation();
  return (
    <section aria-label={title} className="planned">
      {none !== undefined && <h3>{title}</h3>}
      {steps.length === 0 && <p className="muted">{none}</p>}
      <ul className="planned-steps">
        {groupSteps(steps).map(({ name, kind, hasEffects, count }) => (
          <li key={name} className="row wrap">
            <span className="mono">{name}</span>
            <span className="muted">
              {t(`stepKinds.${kind}`)}
              {count > 1 && ` · ${t('retry.times', { count })}`}
            </span>
            {hasEffects && <span className="badge warning">{t('retry.hasEffects')}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function EffectsNote({ steps }: { steps: readonly PlannedStep[] }) {
  const { t } = useTranslation();
  const hasEffects = steps.some((step) => step.hasEffects);
  return (
    <Alert
      type={hasEffects ? 'warning' : 'success'}
      title={t(hasEffects ? 'retry.effects' : 'retry.noEffects')}
    />
  );
}

interface ChangedStepsProps {
  run: Run;
  refusal: Error;
  onUseVersion: (version: number) => void;
}

/**
 * The steps that the run has executed and that differ in the current version: what they did does not fit it. If none does, or that is not
 * known, why the retry was refused.
 */
function ChangedSteps({ run, refusal, onUseVersion }: ChangedStepsProps) {
  const { t } = useTranslation();
  const { taskId, taskVersion, steps } = run;
  const begun = taskVersion ?? 1;
  const diff = useQuery({
    queryKey: [...keys.taskVersions(taskId), taskVersion, 'current'],
    queryFn: () => client.tasks.compareVersions(taskId, begun),
  });
  const ended = new Set(
    steps.filter(({ status }) => status === 'SUCCEEDED' || status === 'SKIPPED').map(({ id }) => id),
  );
  const changed = diff.data?.steps.filter(
    ({ id, change }) => ended.has(id) && (change === 'changed' || change === 'removed'),
  );
  if (diff.isPending) return <span className="skeleton-bar" />;
  if (changed === undefined || changed.length === 0)
    return <Alert type="error" showIcon title={getErrorMessage(refusal, t)} />;
  return (
    <div className="stack">
      <Alert
        type="warning"
        showIcon
        title={t('retry.changed')}
        description={t('retry.changedText')}
        action={
          <Button size="small" onClick={() => onUseVersion(begun)}>
            {t('retry.useVersion', { version: begun })}
          </Button>
        }
      />
      <StepChanges steps={changed} none="" />
    </div>
  );
}
