import { STEP_KINDS, type StepKind } from '@platform/contracts';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { problemAt, unknownKeys, type Path, type Problem } from './problems.ts';
import { checkTemplates } from './template.ts';

export const MAX_STEPS = 50;
const MAX_SOURCE_BYTES = 64 * 1024;
const MAX_NAME_LENGTH = 255;
const STEP_ID = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** `earlierSteps`: what templates can refer to; null where there are no templates. */
type FieldCheck = (value: unknown, earlierSteps: ReadonlySet<string> | null) => string[];

const name: FieldCheck = (value) =>
  isText(value) && value !== '' && value.length <= MAX_NAME_LENGTH
    ? []
    : [`must be a text of 1 to ${MAX_NAME_LENGTH} characters`];

const source: FieldCheck = (value) => {
  if (!isText(value)) return ['must be a text without U+0000 and lone surrogates'];
  return Buffer.byteLength(value) > MAX_SOURCE_BYTES ? [`must have at most ${MAX_SOURCE_BYTES} bytes`] : [];
};

const values: FieldCheck = (value, earlierSteps) => {
  if (!isObject(value)) return ['must be an object'];
  return earlierSteps === null ? [] : checkTemplates(value, earlierSteps);
};

/** The fields of each kind of step, besides `id` and `kind`. */
const FIELDS: Record<StepKind, Record<string, FieldCheck>> = {
  code: { source },
  tool: { toolId: name, method: name, input: values },
  agent: { agentId: name, inputs: values },
  emit: { applicationIdentifier: name, event: name, payload: values },
};

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

/** Returns what is wrong with the fields of a step, besides `id` and `kind`, whose templates are resolved. */
export function checkResolvedFields(kind: StepKind, fields: Record<string, unknown>, path: Path): Problem[] {
  return checkFields(kind, fields, path, null);
}

function checkFields(
  kind: StepKind,
  step: Record<string, unknown>,
  path: Path,
  earlier: ReadonlySet<string> | null,
): Problem[] {
  return Object.entries(FIELDS[kind]).flatMap(([field, check]) =>
    check(step[field], earlier).map((text) => ({ path: [...path, field], text })),
  );
}

/** Adds the id of the step to `earlier`. */
function checkStep(step: unknown, path: Path, earlier: Set<string>): Problem[] {
  if (!isObject(step)) return [{ path, text: 'must be an object' }];
  const { id, kind } = step;
  const problems = problemAt([...path, 'id'], idProblem(id, earlier));
  if (isStepKind(kind)) {
    problems.push(...unknownKeys(step, ['id', 'kind', ...Object.keys(FIELDS[kind])], path));
    problems.push(...checkFields(kind, step, path, earlier));
  } else {
    problems.push({ path: [...path, 'kind'], text: `must be one of ${STEP_KINDS.join(', ')}` });
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

function isStepKind(kind: unknown): kind is StepKind {
  return (STEP_KINDS as readonly unknown[]).includes(kind);
}
