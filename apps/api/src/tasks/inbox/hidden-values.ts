import { canonicalJson, isObject, type JsonObject } from '../../infra/runtime/json.ts';

/** What people see in place of a secret. */
export const MASK = '[hidden]';

/** Puts the values back that a person has left masked. */
export function unmasked(edited: unknown, shown: unknown, original: unknown): unknown {
  if (edited === MASK && shown === MASK) return original;
  if (Array.isArray(edited)) {
    const places = placesOf(edited, shown);
    return edited.map((item: unknown, i) =>
      unmasked(item, itemOf(shown, places[i]), itemOf(original, places[i])),
    );
  }
  if (!isObject(edited)) return edited;
  const fields = Object.entries(edited).map(([key, value]) => [
    key,
    unmasked(value, fieldOf(shown, key), fieldOf(original, key)),
  ]);
  return Object.fromEntries(fields) as JsonObject;
}

/** A sentence if a mask is left in changed arguments, which nobody knows the value of; or null. */
export function maskProblem(edited: unknown, shown: unknown): string | null {
  return JSON.stringify(unmasked(edited, shown, null)).includes(JSON.stringify(MASK))
    ? `arguments must have values in place of ${MASK}, except where it was shown: which value belongs to a changed entry of a list is not known`
    : null;
}

/**
 * Where each entry of a list was shown: what is hidden in an entry moves with it. -1 for an entry that is not one of those that
 * were shown, unless it is a changed one in its place.
 */
function placesOf(edited: readonly unknown[], shown: unknown): number[] {
  const before = Array.isArray(shown) ? shown.map(canonicalJson) : [];
  const now = edited.map(canonicalJson);
  const isWhole = now.length === before.length;
  const places = Map.groupBy(before.keys(), (i) => before[i]);
  const kept = new Set<string | undefined>(now);
  return now.map((entry, i) => {
    if (isWhole && entry === before[i]) return i;
    const [place = -1, another] = places.get(entry) ?? [];
    if (place >= 0) return another === undefined ? place : -1;
    return isWhole && !kept.has(before[i]) ? i : -1;
  });
}

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function itemOf(value: unknown, index = -1): unknown {
  return Array.isArray(value) ? (value as unknown[])[index] : undefined;
}
