import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { problemAt, unknownKeys, type Path, type Problem } from './problems.ts';
import { findStepKind, listStepKinds, templateFields, type StepDescriptor } from './step-kinds.ts';
import { checkTemplates } from './template.ts';

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
  const earlier = new Set<string>();
  for (const [i, step] of steps.entries()) problems.push(...checkStep(step, [...at, i], earlier));
  return problems;
}

/** Returns what is wrong with the fields of a step, besides `id` and `kind`. Its templates, if it has any, are not checked. */
export function checkFields({ fields }: StepDescriptor, step: JsonObject, path: Path): Problem[] {
  return Object.entries(fields).flatMap(([field, check]) => problemAt([...path, field], check(step[field])));
}

/** Adds the id of the step to `earlier`. */
function checkStep(step: unknown, path: Path, earlier: Set<string>): Problem[] {
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
  if (typeof id === 'string') earlier.add(id);
  return problems;
}

function idProblem(id: unknown, earlier: ReadonlySet<string>): string | null {
  if (typeof id !== 'string' || !STEP_ID.test(id)) {
    return 'must be a letter or _ followed by at most 63 letters, digits, or _';
  }
  return earlier.has(id) ? `must be unique: an earlier step has the id ${id}` : null;
}
