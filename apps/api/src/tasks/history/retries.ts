import type { EntityManager } from 'typeorm';
import { conflict, invalid } from '../../infra/errors/app-error.ts';
import type { RunRow } from '../runs/runs.store.ts';
import { getVersion } from '../versions/task-versions.store.ts';
import { compareWorkflows } from '../versions/workflow-diff.ts';
import { listEndedSteps, supersedeSteps } from './run-steps.store.ts';

type RetriedRun = Pick<RunRow, 'id' | 'taskId' | 'attempt' | 'taskVersion'>;

/**
 * Whether a retry goes on with the version that the run began with, instead of the current one. Throws CONFLICT if the wanted version
 * is neither, or if steps that have ended differ in the current one: what they did does not fit it.
 */
export async function keepsVersion(
  tx: EntityManager,
  { id, taskId, taskVersion }: RetriedRun,
  current: number,
  wanted: number | null,
): Promise<boolean> {
  if (taskVersion === null || taskVersion === current) return false;
  if (wanted === taskVersion) return true;
  if (wanted !== null && wanted !== current)
    throw conflict(
      `Run ${id} can go on with version ${taskVersion} or ${current} of its task, not with ${wanted}`,
    );
  const [before, after] = [await getVersion(tx, taskId, taskVersion), await getVersion(tx, taskId, current)];
  const ended = new Set(await listEndedSteps(tx, id));
  const differing = compareWorkflows(before.workflow, after.workflow)
    .filter(({ id: step, change }) => ended.has(step) && (change === 'changed' || change === 'removed'))
    .map(({ id: step }) => step);
  if (differing.length === 0) return false;
  throw conflict(
    `Steps that have ended differ in version ${current} of the task: ${differing.join(', ')}. ` +
      `Retry with version ${taskVersion}, which the run began with, or start another run`,
  );
}

/** Lets a step that no other contains, and all that began after it, be executed again. Throws VALIDATION_ERROR if the run has not executed it. */
export async function repeatFrom(
  tx: EntityManager,
  { id, attempt }: RetriedRun,
  from: string,
): Promise<void> {
  if (!(await supersedeSteps(tx, id, attempt, from)))
    throw invalid(
      `from must name a step that run ${id} has executed, and that no other step contains: ${from} is none`,
    );
}
