import type { Fact } from '../../infra/facts/facts.service.ts';
import type { RunFailure, TaskRate } from '../../tasks/history/run-failures.service.ts';

const MIN_FAILED = 5;

/** Each attempt of a run fails once. */
export function toFailureFact(failure: RunFailure): Fact {
  const { id: runId, spaceId, taskId, taskName, status, origin, attempt, error } = failure;
  return {
    spaceId,
    name: 'run.failed',
    key: `${runId}:${attempt}`,
    payload: {
      runId,
      taskId,
      taskName,
      status,
      origin,
      attempt,
      ...(error !== null && { errorCode: error.code, errorMessage: error.message }),
    },
    causationRunId: runId,
  };
}

/** Whether so many of the latest runs of a task failed that more than single runs are concerned. */
export function isFailing({ ended, failed }: TaskRate): boolean {
  return failed >= MIN_FAILED && failed * 2 >= ended;
}

/** A failing task is told at most once in each hour. */
export function toFailingFact(
  { id, spaceId, taskId, taskName }: RunFailure,
  { ended, failed }: TaskRate,
  at: Date,
): Fact {
  return {
    spaceId,
    name: 'task.failing',
    key: `${taskId}:${at.toISOString().slice(0, 13)}`,
    payload: { taskId, taskName, failed, ended },
    causationRunId: id,
  };
}
