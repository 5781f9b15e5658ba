import type { RunAttempt, RunListing, RunStep, Trigger, TriggerListing } from '@platform/contracts';
import { countItems } from '../kinds/each.kind.ts';
import type { RunAttemptEntity } from '../runs/run-attempt.entity.ts';
import type { RunStepEntity } from '../runs/run-step.entity.ts';
import type { RunListingRow } from '../runs/runs.store.ts';

/** A run as lists show it to its owner and to admins. */
export function toRunListing(run: RunListingRow): RunListing {
  const { id, taskId, taskName, taskVersion, ownerUserId, origin, status, attempt } = run;
  const { cancelRequested, isTest, durationMs, error } = run;
  return {
    id,
    taskId,
    taskName,
    taskVersion,
    ownerUserId,
    origin,
    status,
    trigger: run.trigger && withoutPayload(run.trigger),
    attempt,
    cancelRequested,
    isTest,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
    durationMs,
    ...(error && { error }),
    dismissedAt: run.dismissedAt?.toISOString() ?? null,
    dismissedBy: run.dismissedBy,
  };
}

function withoutPayload({ payload: _, ...trigger }: Trigger): TriggerListing {
  return trigger;
}

export function toRunStep(step: RunStepEntity): RunStep {
  const {
    stepId: id,
    scope,
    stepAttempt,
    kind,
    status,
    input,
    output,
    log,
    simulated,
    startedAt,
    durationMs,
    error,
  } = step;
  const items = countItems(step);
  return {
    id,
    scope: scope ?? id,
    stepAttempt,
    kind,
    status,
    input,
    output,
    log: log ?? '',
    simulated,
    startedAt: startedAt.toISOString(),
    durationMs,
    ...(error && { error }),
    ...(items && { items }),
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
