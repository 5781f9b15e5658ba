import type { JsonSchema, TaskType } from '@platform/contracts';
import { asRecord } from '../../../events/catalog/schema.ts';
import { STEP_KINDS } from '../step-kinds.ts';
import type { Path, StepForm } from '../step-kind.ts';

/** What the templates of a workflow can refer to. */
export interface TemplateFacts {
  type: TaskType;
  /** The payloads of the events that start the task. */
  schemas: readonly JsonSchema[];
  /** What steps have returned, by their ids. */
  outputs: ReadonlyMap<string, unknown>;
}

const TRIGGER_FIELDS = ['payload', 'event', 'id', 'emittedAt', 'source', 'actorUserId', 'depth'];
const MAX_DEPTH = 5;
/** Of one schema or output. */
const MAX_PATHS = 200;

/** Lists what a template can refer to in the step of a place, such as `trigger.payload.total`, the nearest first. */
export function listTemplatePaths(
  { type, schemas, outputs }: TemplateFacts,
  steps: readonly StepForm[],
  place: Path,
): string[] {
  const inputs = findInputNames(steps).map((name) => `inputs.${name}`);
  const trigger = [
    ...schemas.flatMap((schema) => listSchemaPaths(schema, 'trigger.payload')),
    ...TRIGGER_FIELDS.map((field) => `trigger.${field}`),
  ];
  const given = type === 'EVENT' ? [...trigger, ...inputs] : inputs;
  return [...new Set(visit(steps, ['workflow', 'steps'], given))];

  /** Adds what the steps before the place return, and what those around it define. */
  function visit(list: readonly StepForm[], at: Path, outer: readonly string[]): string[] {
    const before: string[] = [];
    for (const [i, step] of list.entries()) {
      const own = [...at, i];
      if (!isWithin(place, own)) {
        before.unshift(...listOutputPaths(step, outputs));
        continue;
      }
      const seen = [...before, ...outer];
      const inside = STEP_KINDS[step.kind].listSteps?.(step) ?? [];
      const next = inside.find(({ path }) => isWithin(place, [...own, ...path]));
      return next === undefined
        ? seen
        : visit(next.steps, [...own, ...next.path], [...listItemPaths(step, seen), ...seen]);
    }
    return [...before, ...outer];
  }
}

const isWithin = (place: Path, around: Path): boolean => around.every((part, i) => place[i] === part);

function listOutputPaths(step: StepForm, outputs: ReadonlyMap<string, unknown>): string[] {
  const output = `steps.${step.id}.output`;
  const fields = STEP_KINDS[step.kind].listOutputs?.(step) ?? [];
  const known = fields.map((field) => `${output}.${field}`);
  return [output, ...known, ...listValuePaths(outputs.get(step.id), output)];
}

/** What the steps inside of a step read of its current item. */
function listItemPaths(step: StepForm, seen: readonly string[]): string[] {
  if (step.kind !== 'each') return [];
  const items = /^\s*\{\{\s*([^{}\s]+)\s*\}\}\s*$/.exec(String(step.items))?.[1];
  const first = `${items}.0.`;
  const fields = seen
    .filter((path) => path.startsWith(first))
    .map((path) => `item.${path.slice(first.length)}`);
  return ['item', 'index', ...fields];
}

/** Lists the fields of an object schema; those of arrays as the fields of their first item, and their length. */
function listSchemaPaths(schema: JsonSchema, path: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, at: string, depth: number): void => {
    const { properties, items } = asRecord(value);
    if (depth > MAX_DEPTH) return;
    if (items !== undefined) {
      visit(items, `${at}.0`, depth + 1);
      add(found, at, 'length', undefined, depth, visit);
    }
    for (const [name, child] of Object.entries(asRecord(properties)))
      add(found, at, name, child, depth, visit);
  };
  visit(schema, path, 0);
  return found;
}

function listValuePaths(value: unknown, path: string): string[] {
  const found: string[] = [];
  const visit = (of: unknown, at: string, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(of)) {
      visit(of[0], `${at}.0`, depth + 1);
      add(found, at, 'length', undefined, depth, visit);
    } else
      for (const [name, child] of Object.entries(asRecord(of))) add(found, at, name, child, depth, visit);
  };
  visit(value, path, 0);
  return found;
}

function add(
  found: string[],
  at: string,
  name: string,
  child: unknown,
  depth: number,
  visit: (child: unknown, at: string, depth: number) => void,
): void {
  // No template can name it.
  if (found.length >= MAX_PATHS || /[{}]/.test(name)) return;
  const path = /^[^.[\]"?\s]+$/.test(name) ? `${at}.${name}` : `${at}[${JSON.stringify(name)}]`;
  found.push(path);
  visit(child, path, depth + 1);
}

/** Returns the names of the inputs that steps read, in templates, conditions, and code. */
export function findInputNames(steps: readonly object[]): string[] {
  const names = Array.from(
    JSON.stringify(steps).matchAll(/\binputs\.([A-Za-z_]\w*)/g),
    ([, name = '']) => name,
  );
  // Code reads the event from the inputs as well.
  return [...new Set(names)].filter((name) => name !== 'trigger');
}
