import { isDeepStrictEqual } from 'node:util';
import type { Workflow } from '@platform/contracts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';

/** A field of a step that two workflows differ in. A value is absent where the step, or its field, is. */
interface FieldChange {
  field: string;
  before?: unknown;
  after?: unknown;
}

/** What became of a step from one workflow to another. */
export interface StepChange {
  id: string;
  change: 'added' | 'removed' | 'changed' | 'moved';
  /** Whether a step that both have stands in another place, or in another order among those that both have. */
  isMoved: boolean;
  fields: FieldChange[];
}

/** A step without the steps inside it. */
interface PlacedStep {
  /** The list that contains it, such as `decide.branches.0`; empty for the list of the workflow. */
  place: string;
  fields: JsonObject;
}

/** Returns the steps that differ between two workflows: first those that the later one has, in its order, then those that it lacks. */
export function compareWorkflows(before: Workflow, after: Workflow): StepChange[] {
  const [old, now] = [listPlaced(before), listPlaced(after)];
  const moved = findMoved(old, now);
  const changes: StepChange[] = [];
  for (const [id, step] of now) {
    const isMoved = moved.has(id);
    const was = old.get(id);
    const fields = compareFields(was?.fields ?? {}, step.fields);
    if (was === undefined) changes.push({ id, change: 'added', isMoved, fields });
    else if (fields.length > 0) changes.push({ id, change: 'changed', isMoved, fields });
    else if (isMoved) changes.push({ id, change: 'moved', isMoved, fields });
  }
  for (const [id, { fields }] of old)
    if (!now.has(id))
      changes.push({ id, change: 'removed', isMoved: false, fields: compareFields(fields, {}) });
  return changes;
}

function listPlaced({ steps }: Workflow): Map<string, PlacedStep> {
  const placed = new Map<string, PlacedStep>();
  const add = (list: unknown, place: string) => {
    if (!Array.isArray(list)) return;
    for (const step of list as unknown[]) {
      if (!isObject(step) || typeof step['id'] !== 'string') continue;
      const { id, steps, otherwise, branches, ...fields } = step;
      placed.set(id, { place, fields: { ...fields, ...conditionsOf(branches) } });
      add(steps, `${id}.steps`);
      if (Array.isArray(branches))
        for (const [i, branch] of branches.entries())
          if (isObject(branch)) add(branch['steps'], `${id}.branches.${i}`);
      add(otherwise, `${id}.otherwise`);
    }
  };
  add(steps, '');
  return placed;
}

/** What the branches of a step have besides their steps. */
function conditionsOf(branches: unknown): JsonObject {
  if (!Array.isArray(branches)) return {};
  return {
    branches: branches.map((branch: unknown) => {
      if (!isObject(branch)) return branch;
      const { steps: _, ...conditions } = branch;
      return conditions;
    }),
  };
}

function compareFields(before: JsonObject, after: JsonObject): FieldChange[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((field) => {
    const isOld = Object.hasOwn(before, field);
    const isNew = Object.hasOwn(after, field);
    if (isOld && isNew && isDeepStrictEqual(before[field], after[field])) return [];
    return [{ field, ...(isOld && { before: before[field] }), ...(isNew && { after: after[field] }) }];
  });
}

/** Returns the steps that stand in another list, and as few as explain the order of the others. */
function findMoved(before: Map<string, PlacedStep>, after: Map<string, PlacedStep>): Set<string> {
  const moved = new Set<string>();
  const positions = new Map([...before.keys()].map((id, i) => [id, i]));
  const lists = new Map<string, { id: string; position: number }[]>();
  for (const [id, { place }] of after) {
    const was = before.get(id);
    const position = positions.get(id);
    if (was === undefined || position === undefined) continue;
    if (was.place !== place) moved.add(id);
    else lists.set(place, [...(lists.get(place) ?? []), { id, position }]);
  }
  for (const list of lists.values()) {
    const kept = longestRising(list.map(({ position }) => position));
    for (const [i, { id }] of list.entries()) if (!kept.has(i)) moved.add(id);
  }
  return moved;
}

/** Returns the indexes of a longest rising subsequence. */
function longestRising(values: readonly number[]): Set<number> {
  const best = values.map(() => ({ length: 1, previous: -1 }));
  let end = -1;
  for (const [i, value] of values.entries()) {
    for (let k = 0; k < i; k++) {
      const length = (best[k]?.length ?? 0) + 1;
      if ((values[k] ?? 0) < value && length > (best[i]?.length ?? 0)) best[i] = { length, previous: k };
    }
    if ((best[i]?.length ?? 0) > (best[end]?.length ?? 0)) end = i;
  }
  const kept = new Set<number>();
  for (let i = end; i >= 0; i = best[i]?.previous ?? -1) kept.add(i);
  return kept;
}
