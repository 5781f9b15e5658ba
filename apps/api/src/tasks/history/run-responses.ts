import type { Run, RunAttempt, RunStep } from '@platform/contracts';
import type { RunAttemptEntity } from '../runs/run-attempt.entity.ts';
import type { RunStepEntity } from '../runs/run-step.entity.ts';
import type { RunRow } from '../runs/runs.store.ts';

/** A run as its owner and admins see it, without steps and attempts. */
export function toRun(run: RunRow): Run {
  const { id, taskId, taskName, origin, status, trigger, inputs, attempt, cancelRequested, error } = run;
  return {
    id,
    taskId,
    taskName,
    origin,
    status,
    trigger,
    inputs,
    steps: [],
    attempt,
    attempts: [],
    cancelRequested,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
    ...(error && { error }),
  };
}

export function toRunStep(step: RunStepEntity): RunStep {
  const { stepId: id, kind, status, input, output, log, startedAt, durationMs, error } = step;
  return {
    id,
    kind,
    status,
    input,
    output,
    log: log ?? '',
    startedAt: startedAt.toISOString(),
    durationMs,
    ...(error && { error }),
  };
}

export function toRunAttempt({
  attempt,
  status,
  startedAt,
  finishedAt,
  error,
}: RunAttemptEntity): RunAttempt {
  return {
    attempt,
    status,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    ...(error && { error }),
  };
}
