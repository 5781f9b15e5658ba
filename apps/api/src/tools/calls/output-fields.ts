import { isObject } from '../../infra/runtime/json.ts';

/** In a list, the segment of a pointer that stands for every item. RFC 6901 gives it no item to point to. */
const EVERY_ITEM = '-';

/** The fields that are chosen below a value; `isWhole`: the value itself. */
interface Choice {
  isWhole: boolean;
  below: Map<string, Choice>;
}

/** Whether a text is a JSON Pointer to something within a value. */
export function isJsonPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)+$/.test(text);
}

/**
 * Returns a value with only the fields that the pointers name, inside the objects and lists that hold them. Undefined if the value is
 * an object or a list and has none of them; other values have no fields, and stay. Takes time linear in the value.
 */
export function chooseFields(value: unknown, pointers: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const root: Choice = { isWhole: false, below: new Map() };
  for (const pointer of pointers) add(root, pointer);
  const found = { any: false };
  const chosen = choose(value, root, found);
  return found.any ? chosen : undefined;
}

function add(root: Choice, pointer: string): void {
  let at = root;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = at.below.get(key) ?? { isWhole: false, below: new Map<string, Choice>() };
    at.below.set(key, next);
    at = next;
  }
  at.isWhole = true;
}

/** Undefined if a value has no fields of its own. Null stays, because it says that there is no object. */
function choose(value: unknown, choice: Choice, found: { any: boolean }): unknown {
  if (choice.isWhole) {
    found.any = true;
    return value;
  }
  if (value === null) return null;
  if (Array.isArray(value)) {
    const item = choice.below.get(EVERY_ITEM);
    if (item === undefined) return undefined;
    return value.map((each) => choose(each, item, found)).filter((each) => each !== undefined);
  }
  if (!isObject(value)) return undefined;
  const fields = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    const below = choice.below.get(key);
    const chosen = below && choose(field, below, found);
    return chosen === undefined ? [] : [[key, chosen]];
  });
  return Object.fromEntries(fields);
}
