import type { JsonSchema, Step, TaskType, Workflow } from '@platform/contracts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { problemAt, unknownKeys, type Path, type Problem } from './problems.ts';
import { checkCommonFields, COMMON_FIELDS, expressionProblem } from './step-fields.ts';
import { findStepKind, listStepKinds, templateFields, type StepDescriptor } from './step-kinds.ts';
import { checkCondition } from '../templates/condition-fit.ts';
import {
  checkAgainstPayload,
  checkAgainstType,
  checkTemplates,
  closed,
  type VisibleNames,
} from '../templates/template-fit.ts';

/** The steps of a workflow, those inside of others included. */
export const MAX_STEPS = 200;
/** How deep steps contain each other; 1 for a step that no other contains. */
const MAX_DEPTH = 4;
const STEP_ID = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** A step, and where it is in its workflow, such as `['steps', 2, 'branches', 0, 'steps', 1]`. */
interface PlacedStep {
  step: JsonObject;
  path: Path;
}

/** Lists the steps of a valid workflow in the order in which they are written, each before the steps that it contains. */
export function listSteps({ steps }: Workflow): { step: Step; path: Path }[] {
  return placeSteps(steps, ['steps']) as object[] as { step: Step; path: Path }[];
}

/** The same of steps that may be wrong in any way: what is no step, or is nested too deep, is left out. */
export function placeSteps(steps: unknown, path: Path, depth = 1): PlacedStep[] {
  if (!Array.isArray(steps) || depth > MAX_DEPTH) return [];
  return steps.flatMap((step: unknown, i) => {
    if (!isObject(step)) return [];
    const at = [...path, i];
    const kind = findStepKind(step.kind);
    const isValid = kind?.nested !== undefined && checkFields(kind, step, at).length === 0;
    const nested = isValid ? (kind.nested?.(step) ?? []) : [];
    const inside = nested.flatMap((one) => placeSteps(one.steps, [...at, ...one.path], depth + 1));
    return [{ step, path: at }, ...inside];
  });
}

/** Returns what is wrong with the shape of a workflow. What its steps refer to is checked by their actions. */
export function checkWorkflow(workflow: unknown, path: Path): Problem[] {
  if (!isObject(workflow)) return [{ path, text: 'must be an object with steps' }];
  return [...unknownKeys(workflow, ['steps'], path), ...new WorkflowCheck().check(workflow.steps, path)];
}

/** Returns what is wrong with the fields of a step that only its kind has. Its templates and the steps in it are not checked. */
export function checkFields({ fields }: StepDescriptor, step: JsonObject, path: Path): Problem[] {
  return Object.entries(fields).flatMap(([field, check]) => problemAt([...path, field], check(step[field])));
}

/** What a step of one place can refer to. */
interface Place {
  /** Of the steps that have ended before it, in the order in which they are written. */
  outputs: ReadonlyMap<string, JsonSchema>;
  /** What containers around it define. */
  names: readonly string[];
  depth: number;
}

/** The check of one workflow, which counts its steps. */
class WorkflowCheck {
  private readonly ids = new Set<string>();
  private count = 0;

  check(steps: unknown, path: Path): Problem[] {
    const problems = this.checkSteps(steps, [...path, 'steps'], { outputs: new Map(), names: [], depth: 1 });
    if (this.count > MAX_STEPS)
      problems.push({ path: [...path, 'steps'], text: `must have at most ${MAX_STEPS} steps in total` });
    return problems;
  }

  private checkSteps(steps: unknown, path: Path, { outputs, ...place }: Place): Problem[] {
    if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS)
      return [{ path, text: `must be an array of 1 to ${MAX_STEPS} steps` }];
    if (place.depth > MAX_DEPTH)
      return [{ path, text: `must not be nested more than ${MAX_DEPTH} levels deep` }];
    this.count += steps.length;
    if (this.count > MAX_STEPS) return [];
    const visible = new Map(outputs);
    return steps.flatMap((step: unknown, i) => {
      const problems = this.checkStep(step, [...path, i], { ...place, outputs: visible });
      if (isObject(step) && typeof step.id === 'string')
        visible.set(step.id, outputOf(step, findStepKind(step.kind)));
      return problems;
    });
  }

  private checkStep(step: unknown, path: Path, place: Place): Problem[] {
    if (!isObject(step)) return [{ path, text: 'must be an object' }];
    const kind = findStepKind(step.kind);
    const problems = [
      ...problemAt([...path, 'id'], this.takeId(step.id)),
      ...checkCommonFields(step, path, kind?.timeout),
      ...checkWhen(step.when, [...path, 'when'], place),
    ];
    if (kind === null) {
      const names = listStepKinds().map((known) => known.kind);
      return [...problems, { path: [...path, 'kind'], text: `must be one of ${names.join(', ')}` }];
    }
    const fieldProblems = [...checkFields(kind, step, path), ...checkContainer(kind, step, path)];
    problems.push(
      ...unknownKeys(step, ['id', 'kind', ...COMMON_FIELDS, ...Object.keys(kind.fields)], path),
      ...fieldProblems,
      ...checkTemplatesOf(kind, step, path, place),
    );
    if (fieldProblems.length > 0) return problems;
    const inside = { ...place, depth: place.depth + 1, names: [...place.names, ...(kind.names ?? [])] };
    for (const { path: inStep, steps, when } of kind.nested?.(step) ?? [])
      problems.push(
        ...checkWhen(when, [...path, ...inStep.slice(0, -1), 'when'], place),
        ...this.checkSteps(steps, [...path, ...inStep], inside),
      );
    return problems;
  }

  private takeId(id: unknown): string | null {
    if (typeof id !== 'string' || !STEP_ID.test(id))
      return 'must be a letter or _ followed by at most 63 letters, digits, or _';
    if (this.ids.has(id)) return `must be unique: another step has the id ${id}`;
    this.ids.add(id);
    return null;
  }
}

/** Steps that contain others are neither repeated nor limited in time as a whole. */
function checkContainer(descriptor: StepDescriptor, step: JsonObject, path: Path): Problem[] {
  const { kind } = descriptor;
  if (descriptor.nested === undefined) return [];
  const given = ['retry', 'timeoutMs'].filter((field) => (step[field] ?? null) !== null);
  return given.map((field) => ({
    path: [...path, field],
    text: `must not be given for a step of kind ${kind}`,
  }));
}

/** What a condition names; whether it is an expression is checked with the other fields. */
function checkWhen(when: unknown, path: Path, { outputs }: VisibleNames): Problem[] {
  if (typeof when !== 'string' || expressionProblem(when) !== null) return [];
  return problemAt(path, checkCondition(when, [...outputs.keys()]));
}

function checkTemplatesOf(
  kind: StepDescriptor,
  step: JsonObject,
  path: Path,
  place: VisibleNames,
): Problem[] {
  return templateFields(kind)
    .filter((field) => kind.fields[field]?.(step[field]) === null)
    .flatMap((field) => checkTemplates(step[field], place).map((text) => ({ path: [...path, field], text })));
}

/** What is known of the output of a step. One that can be skipped, or fail without ending the run, has other outputs as well. */
function outputOf(step: JsonObject, kind: StepDescriptor | null): JsonSchema {
  const fields = kind?.output;
  const isCertain = (step.when ?? null) === null && step.onError !== 'continue';
  return fields === undefined || !isCertain
    ? true
    : closed(Object.fromEntries(fields.map((field) => [field, {}])));
}

/** Returns the templates of a workflow that no event with the schema can resolve; `isBatch`: no batch of such events. */
export function checkPayloadTemplates(
  workflow: Workflow,
  schema: JsonSchema,
  path: Path,
  isBatch: boolean,
): Problem[] {
  return checkInputs(workflow, path, (value) => checkAgainstPayload(value, schema, isBatch));
}

/** Returns the templates of a workflow that no run of a task of the type can resolve. */
export function checkTypeTemplates(workflow: Workflow, type: TaskType, path: Path): Problem[] {
  return checkInputs(workflow, path, (value) => checkAgainstType(value, type));
}

function checkInputs(workflow: Workflow, path: Path, check: (value: unknown) => string[]): Problem[] {
  return listSteps(workflow).flatMap(({ step, path: at }) =>
    templateFields(findStepKind(step.kind)).flatMap((field) =>
      check((step as object as JsonObject)[field]).map((text) => ({ path: [...path, ...at, field], text })),
    ),
  );
}
