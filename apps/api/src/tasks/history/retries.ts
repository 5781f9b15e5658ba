import type { RunStatus, Step, Workflow } from '@platform/contracts';
import { conflict, invalid, type AppError } from '../../infra/errors/app-error.ts';
import type { JsonObject } from '../../infra/runtime/json.ts';
import { findStepKind } from '../definition/step-kinds.ts';
import { isFinished } from '../execution/interpreter.ts';
import type { RunRow } from '../runs/runs.store.ts';
import { compareWorkflows } from '../versions/workflow-diff.ts';
import type { ExecutedStep } from './run-steps.store.ts';

const RETRYABLE: readonly RunStatus[] = ['FAILED', 'CANCELLED', 'INTERRUPTED'];

interface TaskVersion {
  version: number;
  workflow: Workflow;
}

/** What decides how a run is attempted again. */
export interface RetryFacts {
  runId: string;
  /** The last execution of each step, in the order in which they began. */
  executed: readonly ExecutedStep[];
  current: TaskVersion;
  /** The version that the run began with; null if that is the current one, or is not known. */
  begun: TaskVersion | null;
}

/** With the version that the run goes on with. */
export interface RetryPlan extends TaskVersion {
  /** What is executed again, and what is not. */
  repeated: PlannedStep[];
  kept: PlannedStep[];
}

interface PlannedStep {
  executed: ExecutedStep;
  step: Step;
}

/** Returns why a run cannot be attempted again; null if it can, as far as its row says. */
export function refuseRetry({
  id,
  status,
  erasedAt,
  isTest,
}: Pick<RunRow, 'id' | 'status' | 'erasedAt' | 'isTest'>): AppError | null {
  if (isTest) return conflict(`Run ${id} is a test: start another test instead`);
  if (!RETRYABLE.includes(status))
    return conflict(
      `Run ${id} is ${status}: only runs that are FAILED, CANCELLED, or INTERRUPTED are retried`,
    );
  return erasedAt === null
    ? null
    : conflict(`The payload of run ${id} was erased, so it cannot be attempted again`);
}

/**
 * Decides how a run is attempted again: with which version of its task, and which steps are executed again. Throws CONFLICT if the wanted
 * version is neither the current one nor the first, or if steps that have ended differ in it: what they did does not fit it. Throws
 * VALIDATION_ERROR if the run has not executed `from`, or if another step contains it.
 */
export function planRetry(
  { runId, executed, current, begun }: RetryFacts,
  { from = null, version: wanted = null }: { from?: string | null; version?: number | null },
): RetryPlan {
  const first =
    from === null
      ? executed.length
      : executed.findIndex(({ scope, stepId }) => scope === from && stepId === from);
  if (first < 0)
    throw invalid(
      `from must name a step that run ${runId} has executed, and that no other step contains: ${from} is none`,
    );
  if (wanted !== null && wanted !== current.version && wanted !== begun?.version) {
    const versions = [begun, current].flatMap((one) => one?.version ?? []).join(' or ');
    throw conflict(`Run ${runId} can go on with version ${versions} of its task, not with ${wanted}`);
  }
  const isKept = begun !== null && wanted === begun.version;
  const chosen = isKept ? begun : current;
  const before = executed.slice(0, first);
  if (begun !== null && !isKept) assertFits(before, begun, current);
  const placed = placeSteps(chosen);
  const plan: RetryPlan = { ...chosen, repeated: [], kept: [] };
  const keptScopes = new Set<string>();
  for (const [i, one] of executed.entries()) {
    const step = placed.get(placeOf(one.scope));
    // The version has no such step in this place.
    if (step === undefined) continue;
    const isDone = i < first && (keptScopes.has(containerOf(one.scope)) || isFinished(one, step));
    if (isDone) keptScopes.add(one.scope);
    plan[isDone ? 'kept' : 'repeated'].push({ executed: one, step });
  }
  return plan;
}

function assertFits(executed: readonly ExecutedStep[], begun: TaskVersion, current: TaskVersion): void {
  const [before, after] = [placeSteps(begun), placeSteps(current)];
  const differences = compareWorkflows(begun.workflow, current.workflow);
  const changed = new Set(differences.filter(({ change }) => change === 'changed').map(({ id }) => id));
  const differs = ({ stepId, scope, status, branch }: ExecutedStep) => {
    const place = placeOf(scope);
    // What it has chosen is a position.
    if (branch !== null && conditionAt(before.get(place), branch) !== conditionAt(after.get(place), branch))
      return true;
    // In another place, it would be executed again.
    return (status === 'SUCCEEDED' || status === 'SKIPPED') && (changed.has(stepId) || !after.has(place));
  };
  const differing = [...new Set(executed.filter(differs).map(({ stepId }) => stepId))];
  if (differing.length === 0) return;
  throw conflict(
    `Steps that have ended differ in version ${current.version} of the task: ${differing.join(', ')}. ` +
      `Retry with version ${begun.version}, which the run began with, or start another run`,
  );
}

/** The steps of a version by where they stand, such as `orders.charge`. */
function placeSteps({ workflow }: TaskVersion): Map<string, Step> {
  return new Map(listPlaced(workflow.steps));
}

function listPlaced(steps: readonly Step[], prefix = ''): [string, Step][] {
  return steps.flatMap((step): [string, Step][] => {
    const nested = findStepKind(step.kind)?.nested?.(step as object as JsonObject) ?? [];
    const inside = nested.flatMap((one) => listPlaced(one.steps as Step[], `${prefix}${step.id}.`));
    return [[prefix + step.id, step], ...inside];
  });
}

/** The condition of a branch; undefined if the step has no such branch. */
function conditionAt(step: Step | undefined, branch: number): string | undefined {
  return step?.kind === 'branch' ? step.branches[branch]?.when : undefined;
}

/** The scope without the numbers of items. */
const placeOf = (scope: string) => scope.replaceAll(/\[\d+\]/g, '');

/** The scope of the step that contains another; empty for none. */
const containerOf = (scope: string) =>
  scope.slice(0, Math.max(0, scope.lastIndexOf('.'))).replace(/\[\d+\]$/, '');
