import type { EventFilter } from '@platform/contracts';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';

export const VALUE_KINDS = ['text', 'number', 'boolean', 'null'] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** One field of a filter, as entered: it must equal one of the values. */
export interface Condition {
  /** Identifies the condition in the form. */
  key: number;
  field: string;
  kind: ValueKind;
  values: string[];
}

export type ConditionProblem =
  'FIELD_MISSING' | 'FIELD_REPEATED' | 'FIELD_FORBIDDEN' | 'VALUE_MISSING' | 'NOT_A_NUMBER';

/** These names could change the prototype of an object, so the service rejects them. */
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

/** Returns the conditions of a filter, or null if it can be written only as JSON. */
export function toConditions(filter: EventFilter | null): Condition[] | null {
  const conditions: Condition[] = [];
  for (const [field, wanted] of Object.entries(filter ?? {})) {
    // A list of one can differ from its member: only the list matches an array in the payload as a member.
    if (Array.isArray(wanted) && wanted.length < 2) return null;
    const values: unknown[] = Array.isArray(wanted) ? wanted : [wanted];
    const kinds = new Set(values.map(findKind));
    const [kind] = kinds;
    if (kinds.size !== 1 || kind === null || kind === undefined) return null;
    const texts = values.map(String);
    if (new Set(texts).size !== texts.length) return null;
    conditions.push({ key: conditions.length, field, kind, values: texts });
  }
  return conditions;
}

/** Returns the filter of the conditions; null if there are none. */
export function toFilter(conditions: readonly Condition[]): EventFilter | null {
  if (conditions.length === 0) return null;
  return Object.fromEntries(
    conditions.map(({ field, kind, values }) => {
      const parsed = kind === 'null' ? [null] : values.map((value) => parseValue(kind, value));
      return [field, parsed.length === 1 ? parsed[0] : parsed];
    }),
  );
}

/** Returns what is wrong with a condition, or null. */
export function findProblem(condition: Condition, all: readonly Condition[]): ConditionProblem | null {
  const { field, kind, values } = condition;
  if (field === '') return 'FIELD_MISSING';
  if (FORBIDDEN.includes(field)) return 'FIELD_FORBIDDEN';
  if (all.find((other) => other.field === field) !== condition) return 'FIELD_REPEATED';
  if (kind === 'null') return null;
  if (values.length === 0) return 'VALUE_MISSING';
  return kind === 'number' && values.some((value) => !isNumber(value)) ? 'NOT_A_NUMBER' : null;
}

/** Returns the kind of value that a schema type suggests. */
export function suggestKind(type: string | null): ValueKind {
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' || type === 'null' ? type : 'text';
}

/** Parses a filter that was entered as JSON. Returns undefined if it is not an object or null. */
export function parseFilterText(text: string): EventFilter | null | undefined {
  if (text.trim() === '') return null;
  return text.trim() === 'null' ? null : parseJsonObject(text);
}

function parseValue(kind: Exclude<ValueKind, 'null'>, value: string): unknown {
  if (kind === 'number') return Number(value);
  return kind === 'boolean' ? value === 'true' : value;
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

function findKind(value: unknown): ValueKind | null {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' || typeof value === 'boolean'
    ? (typeof value as 'number' | 'boolean')
    : null;
}
