import type { Step, StepKind, TaskType } from '@platform/contracts';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';
import { STEP_KINDS } from './step-kinds.ts';
import type { Path, StepConverter, StepForm, StepOptions } from './step-kind.ts';

const CONVERTER: StepConverter = { toForms: toStepForms, toSteps };

export function toStepForms(steps: readonly Step[]): StepForm[] {
  return steps.map((step) => {
    const { id, kind, name, when, retry, timeoutMs, onError } = step;
    const values = STEP_KINDS[kind].toValues(step, CONVERTER);
    return { ...values, id, kind, name, when, retry, timeoutMs, onError };
  });
}

export function toSteps(forms: readonly StepForm[]): Step[] {
  return forms.map(({ id, kind, json, name, when, retry, timeoutMs, onError, ...values }) => {
    // The field accepts nothing but an object: the fallback is never sent.
    if (json !== undefined) return { ...parseJsonObject(json), id, kind } as object as Step;
    const options = toOptions({ name, when, retry, timeoutMs, onError });
    return Object.assign(STEP_KINDS[kind].toStep(id, values, CONVERTER), options);
  });
}

/** Leaves out what was not entered. */
function toOptions({ name, when, retry, timeoutMs, onError }: StepOptions): object {
  const { attempts, backoffMs } = retry ?? {};
  const hasRetry = attempts != null || backoffMs != null;
  return {
    ...(name && { name }),
    ...(when && { when }),
    ...(hasRetry && {
      retry: { ...(attempts != null && { attempts }), ...(backoffMs != null && { backoffMs }) },
    }),
    ...(timeoutMs != null && { timeoutMs }),
    ...(onError && { onError }),
  };
}

/** Returns the fields of a step besides its id and kind as a JSON text. */
export function formatStep(form: StepForm): string {
  const fields = toSteps([form]).map((step) => Object.entries(step))[0] ?? [];
  return formatJson(Object.fromEntries(fields.filter(([name]) => name !== 'id' && name !== 'kind')));
}

/** Returns the step whose fields are in its JSON text, or undefined if they do not fit the form of its kind. */
export function parseStep({ id, kind, json }: StepForm): StepForm | undefined {
  const fields = parseJsonObject(json ?? '');
  if (fields === undefined) return undefined;
  try {
    const [form] = toStepForms([{ ...fields, id, kind } as object as Step]);
    // What the form cannot express would be lost.
    return form && writeSorted(parseJsonObject(formatStep(form))) === writeSorted(fields) ? form : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the same text for the same value, whatever the order of its fields. */
function writeSorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

interface PlacedForm {
  path: Path;
  step: StepForm;
}

/** Returns all steps in the order in which they are shown, each before the steps that it contains. */
export function listSteps(steps: readonly StepForm[], path: Path = ['workflow', 'steps']): PlacedForm[] {
  return steps.flatMap((step, i) => {
    const at = [...path, i];
    const lists = step.json === undefined ? STEP_KINDS[step.kind].listSteps?.(step) : undefined;
    const inside = (lists ?? []).flatMap((list) => listSteps(list.steps, [...at, ...list.path]));
    return [{ path: at, step }, ...inside];
  });
}

/** Returns a new step whose id no other step has. */
export function createStep(kind: StepKind, others: readonly StepForm[], type: TaskType = 'MANUAL'): StepForm {
  const ids = new Set(listSteps(others).map(({ step }) => step.id));
  return { ...STEP_KINDS[kind].create(type), id: findFreeId('step', ids, ids.size + 1), kind };
}

function findFreeId(prefix: string, ids: ReadonlySet<string>, from: number): string {
  let number = from;
  while (ids.has(`${prefix}${number}`)) number++;
  return `${prefix}${number}`;
}

/** Returns a copy in which all steps have ids of their own, and which refers to its own steps. */
export function copyStep(step: StepForm, all: readonly StepForm[]): StepForm {
  const ids = new Set(listSteps(all).map((one) => one.step.id));
  const renamed = new Map<string, string>();
  for (const { step: one } of listSteps([step])) {
    const id = findFreeId(`${one.id.slice(0, 56).replace(/_\d+$/, '')}_`, ids, 2);
    ids.add(id);
    renamed.set(one.id, id);
  }
  return rename(step, renamed) as StepForm;
}

function rename(value: unknown, ids: ReadonlyMap<string, string>, field?: string): unknown {
  if (typeof value === 'string') {
    if (field === 'id') return ids.get(value) ?? value;
    return value.replaceAll(
      /\bsteps\.([A-Za-z_]\w*)/g,
      (reference, id: string) => `steps.${ids.get(id) ?? reference.slice('steps.'.length)}`,
    );
  }
  if (Array.isArray(value)) return value.map((one) => rename(one, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rename(one, ids, key)]));
}

/**
 * Returns the field of an error of the service: the innermost of the shown fields that it names, else the id of the
 * innermost step.
 */
export function findStepField(named: string, shown: readonly string[]): string | undefined {
  const around = shown.filter((field) => named === field || named.startsWith(`${field}.`));
  const field = around.sort((a, b) => b.length - a.length)[0];
  // What a list of steps contains are cards of their own.
  const isInCard = field !== undefined && /^(steps|otherwise|branches)$/.test(field.split('.').at(-1) ?? '');
  if (field === undefined || named === field || !isInCard) return field;
  const cards = shown
    .filter((one) => /\.\d+\.(id|json)$/.test(one) && named.startsWith(one.replace(/(id|json)$/, '')))
    .sort((a, b) => b.length - a.length);
  return cards[0] ?? field;
}
