import type { EventFilter } from '@platform/contracts';
import { deeperThan } from '../../infra/requests/json-shape.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { shortenText } from '../../infra/runtime/shorten-text.ts';
import { conditionProblems, hasOperators, OPERATORS, type IsMatch } from './filter-operators.ts';

const MAX_FILTER_FIELDS = 32;
const MAX_FILTER_MEMBERS = 100;
const MAX_DEPTH = 32;
const MAX_LENGTH = 16_384;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

export interface FilterVerdict {
  matches: boolean;
  /** Names the first field that failed, such as `amount: 40, wanted one of [50,100]`; null if it matches. */
  reason: string | null;
}

const MATCH: FilterVerdict = { matches: true, reason: null };

/** Returns the problems of a filter, each with its path; none if it is a filter, null, or absent. */
export function checkFilter(filter: unknown, path: string): string[] {
  if (filter === undefined || filter === null) return [];
  if (!isObject(filter)) return [`${path} must be an object`];
  if (deeperThan(filter, MAX_DEPTH)) return [`${path} must not be nested deeper than ${MAX_DEPTH} levels`];
  const keys = Object.keys(filter);
  if (keys.length > MAX_FILTER_FIELDS) return [`${path} must have at most ${MAX_FILTER_FIELDS} fields`];
  const problems: string[] = [];
  for (const key of keys) {
    const wanted = filter[key];
    if (Array.isArray(wanted) && wanted.length > MAX_FILTER_MEMBERS)
      problems.push(`${path}.${key} must have at most ${MAX_FILTER_MEMBERS} members`);
  }
  if (problems.length > 0) return problems;
  if (JSON.stringify(filter).length > MAX_LENGTH)
    return [`${path} must have at most ${MAX_LENGTH} characters as JSON`];
  return [
    ...forbiddenKeys(filter, path),
    ...Object.entries(filter).flatMap(([key, wanted]) => conditionProblems(wanted, `${path}.${key}`)),
  ];
}

function forbiddenKeys(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => forbiddenKeys(item, `${path}[${i}]`));
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) =>
    key.split('.').some((part) => FORBIDDEN.has(part))
      ? [`${path}.${key} is not allowed`]
      : forbiddenKeys(value[key], `${path}.${key}`),
  );
}

/**
 * Whether a payload matches a filter: every field equals the payload's own field of the same name, deeply; an array means
 * one of its members, and an object of operators what they say. A name with dots is that of the field with this name or, if
 * there is none, the path to a field inside. A missing field is not null, and nothing is converted. Throws if the filter is
 * not an object.
 */
export function matchFilter(filter: EventFilter | null, payload: Record<string, unknown>): FilterVerdict {
  if (filter === null) return MATCH;
  if (!isObject(filter)) throw new TypeError('The filter is not an object');
  for (const [name, wanted] of Object.entries(filter)) {
    const reason = conditionMismatch(name, fieldAt(payload, name), wanted);
    if (reason !== null) return { matches: false, reason };
  }
  return MATCH;
}

function conditionMismatch(path: string, actual: unknown, wanted: unknown): string | null {
  if (Array.isArray(wanted)) return memberMismatch(path, actual, wanted);
  if (!hasOperators(wanted)) return mismatch(path, actual, wanted);
  const failed = Object.entries(wanted).find(
    ([name, operand]) => OPERATORS[name]?.holds(actual, operand, isMatch) !== true,
  );
  return failed === undefined ? null : explain(path, actual, wantedBy(...failed));
}

const isMatch: IsMatch = (actual, wanted) => conditionMismatch('', actual, wanted) === null;

/** What an operator wants, in words. */
function wantedBy(name: string, operand: unknown): string {
  const [word = name] = OPERATORS[name]?.words(operand) ?? [];
  if (name === '$exists') return word;
  if (name !== '$not') return `${word} ${shown(operand)}`;
  if (Array.isArray(operand)) return `none of ${shown(operand)}`;
  if (!hasOperators(operand)) return `not ${shown(operand)}`;
  return `not ${Object.entries(operand)
    .map((one) => wantedBy(...one))
    .join(' and ')}`;
}

/** Returns the value of a field, or of one inside; undefined if it is not there. */
export function fieldAt(payload: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(payload, name) || !name.includes('.')) return ownField(payload, name);
  let value: unknown = payload;
  for (const key of name.split('.')) value = isObject(value) ? ownField(value, key) : undefined;
  return value;
}

function memberMismatch(path: string, actual: unknown, members: unknown[]): string | null {
  if (members.some((member) => mismatch('', actual, member) === null)) return null;
  return explain(path, actual, `one of ${shown(members)}`);
}

/** Returns the first difference; null if the values are equal. Descends no deeper than `wanted` does. */
function mismatch(path: string, actual: unknown, wanted: unknown): string | null {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || actual.length !== wanted.length)
      return explain(path, actual, shown(wanted));
    return firstDefined(wanted, (member, i) => mismatch(`${path}[${i}]`, actual[i], member));
  }
  if (isObject(wanted)) {
    if (!isObject(actual)) return explain(path, actual, shown(wanted));
    const missing = firstDefined(Object.entries(wanted), ([key, value]) =>
      mismatch(`${path}.${key}`, ownField(actual, key), value),
    );
    if (missing !== null) return missing;
    for (const key of Object.keys(actual))
      if (!Object.hasOwn(wanted, key)) return explain(`${path}.${key}`, actual[key], 'no such field');
    return null;
  }
  return actual === wanted ? null : explain(path, actual, shown(wanted));
}

function firstDefined<Item>(items: Item[], find: (item: Item, index: number) => string | null) {
  for (const [i, item] of items.entries()) {
    const found = find(item, i);
    if (found !== null) return found;
  }
  return null;
}

function ownField(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function explain(path: string, actual: unknown, wanted: string): string {
  return `${shortenText(path, SHOWN_LENGTH)}: ${summary(actual)}, wanted ${wanted}`;
}

const SHOWN_LENGTH = 120;

/** A value of the filter, which is small. */
function shown(value: unknown): string {
  return shortenText(JSON.stringify(value), SHOWN_LENGTH);
}

/** A value of the payload. It can be large and is described once per subscription, so only its beginning is read. */
function summary(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string')
    return shortenText(JSON.stringify(value.slice(0, SHOWN_LENGTH)), SHOWN_LENGTH);
  if (isObject(value)) return 'an object';
  if (!Array.isArray(value)) return JSON.stringify(value);
  if (value.length > 5 || value.some((item) => typeof item === 'object' && item !== null))
    return `an array of ${value.length}`;
  return shortenText(`[${value.map(summary).join(',')}]`, SHOWN_LENGTH);
}
