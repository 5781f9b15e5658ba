import type { JsonSchema, TaskType, Workflow } from '@platform/contracts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { problemAt, unknownKeys, type Path, type Problem } from './problems.ts';
import { findStepKind, listStepKinds, templateFields, type StepDescriptor } from './step-kinds.ts';
import {
  checkAgainstPayload,
  checkAgainstType,
  checkTemplates,
  closed,
  type EarlierSteps,
} from '../templates/template-fit.ts';

export const MAX_STEPS = 50;
const STEP_ID = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Returns what is wrong with the shape of a workflow. What its steps refer to is checked by their actions. */
export function checkWorkflow(workflow: unknown, path: Path): Problem[] {
  if (!isObject(workflow)) return [{ path, text: 'must be an object with steps' }];
  const at = [...path, 'steps'];
  const problems = unknownKeys(workflow, ['steps'], path);
  const { steps } = workflow;
  if (!Array.isArray(steps) || steps.length === 0 || steps.length > MAX_STEPS) {
    return [...problems, { path: at, text: `must be an array of 1 to ${MAX_STEPS} steps` }];
  }
  const earlier = new Map<string, JsonSchema>();
  for (const [i, step] of steps.entries()) problems.push(...checkStep(step, [...at, i], earlier));
  return problems;
}

/** Returns what is wrong with the fields of a step, besides `id` and `kind`. Its templates, if it has any, are not checked. */
export function checkFields({ fields }: StepDescriptor, step: JsonObject, path: Path): Problem[] {
  return Object.entries(fields).flatMap(([field, check]) => problemAt([...path, field], check(step[field])));
}

/** Adds the step to `earlier`. */
function checkStep(step: unknown, path: Path, earlier: Map<string, JsonSchema>): Problem[] {
  if (!isObject(step)) return [{ path, text: 'must be an object' }];
  const { id } = step;
  const problems = problemAt([...path, 'id'], idProblem(id, earlier));
  const kind = findStepKind(step.kind);
  if (kind === null) {
    const names = listStepKinds().map((known) => known.kind);
    problems.push({ path: [...path, 'kind'], text: `must be one of ${names.join(', ')}` });
  } else {
    problems.push(...unknownKeys(step, ['id', 'kind', ...Object.keys(kind.fields)], path));
    problems.push(...checkFields(kind, step, path));
    for (const field of templateFields(kind)) {
      if (kind.fields[field]?.(step[field]) !== null) continue;
      const texts = checkTemplates(step[field], earlier);
      problems.push(...texts.map((text) => ({ path: [...path, field], text })));
    }
  }
  if (typeof id === 'string') earlier.set(id, outputOf(kind));
  return problems;
}

function outputOf(kind: StepDescriptor | null): JsonSchema {
  const fields = kind?.output;
  return fields === undefined ? true : closed(Object.fromEntries(fields.map((field) => [field, {}])));
}

/** Returns the templates of a workflow that no event with the schema can resolve. */
export function checkPayloadTemplates(workflow: Workflow, schema: JsonSchema, path: Path): Problem[] {
  return checkInputs(workflow, path, (value) => checkAgainstPayload(value, schema));
}

/** Returns the templates of a workflow that no run of a task of the type can resolve. */
export function checkTypeTemplates(workflow: Workflow, type: TaskType, path: Path): Problem[] {
  return checkInputs(workflow, path, (value) => checkAgainstType(value, type));
}

function checkInputs({ steps }: Workflow, path: Path, check: (value: unknown) => string[]): Problem[] {
  return steps.flatMap((step, i) =>
    templateFields(findStepKind(step.kind)).flatMap((field) =>
      check((step as object as JsonObject)[field]).map((text) => ({
        path: [...path, 'steps', i, field],
        text,
      })),
    ),
  );
}

function idProblem(id: unknown, earlier: EarlierSteps): string | null {
  if (typeof id !== 'string' || !STEP_ID.test(id)) {
    return 'must be a letter or _ followed by at most 63 letters, digits, or _';
  }
  return earlier.has(id) ? `must be unique: an earlier step has the id ${id}` : null;
}
