import type { Difference, MethodComparison, Preference } from '@platform/openapi-import';

const FIELDS = [
  'description',
  'httpMethod',
  'path',
  'serverUrl',
  'inputSchema',
  'outputSchema',
  'bindings',
  'bodyMediaType',
  'encoding',
  'acts',
  'deprecated',
] as const;
export type MethodField = (typeof FIELDS)[number];

const MAX_VALUE_LENGTH = 300;

/** Where a method differs: in which of its fields, and in which part of it, such as `address.tags[] · description`. */
export function describePlace({ path: [first, ...rest] }: Difference): {
  field: MethodField | null;
  part: string;
} {
  const field = FIELDS.find((one) => one === first) ?? null;
  if (field !== 'inputSchema' && field !== 'outputSchema') return { field, part: rest.join(' · ') };
  let place = '';
  const keywords = [...rest];
  while (keywords[0] === 'properties' || keywords[0] === 'items') {
    if (keywords.shift() === 'items') place += '[]';
    else place += `${place === '' ? '' : '.'}${keywords.shift() ?? ''}`;
  }
  return { field, part: [place, ...keywords].filter((part) => part !== '').join(' · ') };
}

/** A value in one line; null if there is none. */
export function formatValue(value: unknown): string | null {
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

export const hasConflict = ({ differences }: MethodComparison): boolean =>
  differences.some(({ origin }) => origin === 'conflict');

/** Decisions, by the names of methods. Methods that are not in it stay as they are. */
export type Decisions = ReadonlyMap<string, Preference>;

/** Changed methods are brought up to the document. What is deleted and added is left to the user. */
export function suggestDecisions(comparisons: readonly MethodComparison[]): Decisions {
  return new Map(
    comparisons.filter(({ kind }) => kind === 'changed').map(({ name, preference }) => [name, preference]),
  );
}

/** The decisions after some methods were added to them or removed. */
export function changeDecisions(
  decisions: Decisions,
  comparisons: readonly MethodComparison[],
  isApplied: boolean,
): Decisions {
  const next = new Map(decisions);
  for (const { name, preference } of comparisons) {
    if (!isApplied) next.delete(name);
    else if (!next.has(name)) next.set(name, preference);
  }
  return next;
}
