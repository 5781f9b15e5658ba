import { isObject, setOwn, type JsonObject } from './json.ts';

/** Whose value is taken if both sides have changed it. */
export type Preference = 'edit' | 'document';

/** A place at which the edited value or the incoming one differs from the base. */
export interface Difference {
  /** The keys that lead to it. */
  path: string[];
  /** Who changed it: the user, the document, or both in different ways. */
  origin: 'edit' | 'document' | 'conflict';
  /** Absent where there is no value. */
  base?: unknown;
  edited?: unknown;
  incoming?: unknown;
}

/**
 * Merges two changes of one JSON value: what only one side has changed is taken from it. Objects are merged by key,
 * `required` as a set, and everything else as a whole. Undefined means that there is no value.
 */
export function mergeValues(
  base: unknown,
  edited: unknown,
  incoming: unknown,
  preference: Preference,
): { value: unknown; differences: Difference[] } {
  const differences: Difference[] = [];
  const merge = (was: unknown, mine: unknown, theirs: unknown, path: string[]): unknown => {
    if (isEqual(mine, theirs)) return mine;
    if (isObject(mine) && isObject(theirs) && (isObject(was) || was === undefined)) {
      const merged: JsonObject = {};
      // Keys keep the order of the edited value; new ones follow.
      for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
        const value = merge(read(was, key), read(mine, key), read(theirs, key), [...path, key]);
        if (value !== undefined) setOwn(merged, key, value);
      }
      return merged;
    }
    const origin = isEqual(was, mine) ? 'document' : isEqual(was, theirs) ? 'edit' : 'conflict';
    const names = path.at(-1) === 'required' ? [was ?? [], mine ?? [], theirs ?? []] : [];
    if (origin === 'conflict' && names.length > 0 && names.every(isNameList)) {
      const [former = [], own = [], other = []] = names;
      return mergeNames(former, own, other, (difference) => differences.push({ ...difference, path }));
    }
    differences.push({
      path,
      origin,
      ...(was !== undefined && { base: was }),
      ...(mine !== undefined && { edited: mine }),
      ...(theirs !== undefined && { incoming: theirs }),
    });
    const isMine = origin === 'edit' || (origin === 'conflict' && preference === 'edit');
    return isMine ? mine : theirs;
  };
  return { value: merge(base, edited, incoming, []), differences };
}

/** Applies what the document has added and removed to the edited list. */
function mergeNames(
  base: string[],
  edited: string[],
  incoming: string[],
  add: (difference: Omit<Difference, 'path'>) => void,
): string[] | undefined {
  const added = incoming.filter((name) => !base.includes(name));
  const removed = base.filter((name) => !incoming.includes(name));
  const names = [...new Set([...edited.filter((name) => !removed.includes(name)), ...added])];
  const isSame = (one: string[], other: string[]) => isEqual([...one].sort(), [...other].sort());
  if (!isSame(edited, incoming)) {
    const origin = isSame(names, edited) ? 'edit' : 'document';
    add({ origin, base, edited, incoming });
  }
  return names.length === 0 ? undefined : names;
}

/** Whether two JSON values are the same, in whatever order their keys are. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, i) => isEqual(item, other[i]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  );
}

function read(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function isNameList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
