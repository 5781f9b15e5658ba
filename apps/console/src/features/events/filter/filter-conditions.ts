import type { EventFilter } from '@platform/contracts';
import { isInexact } from '../../../ui/code/inexact-number.ts';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';

const VALUE_KINDS = ['text', 'number', 'boolean', 'null'] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

interface OperatorForm {
  /** How a filter writes it; null: as plain values. */
  name: string | null;
  /** What its operand can be; none: it has no value to enter. */
  kinds: readonly ValueKind[];
  /** Whether several values mean one of them. */
  isList: boolean;
}

const ORDERED = ['number', 'text'] as const;

/** What can be wanted of a field, in the order of the menu. */
export const OPERATORS = {
  is: { name: null, kinds: VALUE_KINDS, isList: true },
  isNot: { name: '$not', kinds: VALUE_KINDS, isList: true },
  atLeast: { name: '$gte', kinds: ORDERED, isList: false },
  moreThan: { name: '$gt', kinds: ORDERED, isList: false },
  atMost: { name: '$lte', kinds: ORDERED, isList: false },
  lessThan: { name: '$lt', kinds: ORDERED, isList: false },
  beginsWith: { name: '$prefix', kinds: ['text'], isList: false },
  exists: { name: '$exists', kinds: [], isList: false },
  isMissing: { name: '$exists', kinds: [], isList: false },
} as const satisfies Record<string, OperatorForm>;
export type Operator = keyof typeof OPERATORS;

/** The same table for code that does not know the operator. */
const FORMS: Record<Operator, OperatorForm> = OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[];

/** One condition of a filter, as entered. */
export interface Condition {
  /** Identifies the condition in the form. */
  key: number;
  field: string;
  operator: Operator;
  kind: ValueKind;
  values: string[];
}

export type ConditionProblem =
  | 'FIELD_MISSING'
  | 'FIELD_REPEATED'
  | 'FIELD_FORBIDDEN'
  | 'VALUE_MISSING'
  | 'NOT_A_NUMBER'
  | 'INEXACT_NUMBER';

/** These names could change the prototype of an object, so the service rejects them. */
const FORBIDDEN = ['__proto__', 'constructor', 'prototype'];

/** Returns the conditions of a filter, or null if it can be written only as JSON. */
export function toConditions(filter: EventFilter | null): Condition[] | null {
  const found = Object.entries(filter ?? {}).flatMap(([field, wanted]) =>
    operandsOf(wanted).map(([operator, operand]) => ({ field, operator, entered: enter(operator, operand) })),
  );
  const conditions: Condition[] = [];
  for (const { field, operator, entered } of found) {
    if (operator === null || entered === null) return null;
    conditions.push({ key: conditions.length, field, operator, ...entered });
  }
  return conditions;
}

/** Returns the filter of the conditions; null if there are none. */
export function toFilter(conditions: readonly Condition[]): EventFilter | null {
  if (conditions.length === 0) return null;
  const fields = Map.groupBy(conditions, ({ field }) => field);
  return Object.fromEntries(
    Array.from(fields, ([field, all]) => {
      const operands = all.map((one) => [FORMS[one.operator].name, toOperand(one)] as const);
      const plain = operands.find(([name]) => name === null);
      return [field, plain === undefined ? Object.fromEntries(operands) : plain[1]];
    }),
  );
}

/** Returns what is wrong with a condition, or null. */
export function findProblem(condition: Condition, all: readonly Condition[]): ConditionProblem | null {
  const { field, operator, kind, values } = condition;
  if (field === '') return 'FIELD_MISSING';
  if (field.split('.').some((part) => FORBIDDEN.includes(part))) return 'FIELD_FORBIDDEN';
  const earlier = all.slice(0, all.indexOf(condition)).filter((one) => one.field === field);
  if (earlier.some((one) => excludes(one.operator, operator))) return 'FIELD_REPEATED';
  if (!needsValue(condition)) return null;
  if (values.length === 0) return 'VALUE_MISSING';
  if (kind !== 'number') return null;
  if (values.some((value) => !isNumber(value))) return 'NOT_A_NUMBER';
  return values.some(isInexact) ? 'INEXACT_NUMBER' : null;
}

/** Whether the condition has values to enter. */
export function needsValue({ operator, kind }: Pick<Condition, 'operator' | 'kind'>): boolean {
  return FORMS[operator].kinds.length > 0 && kind !== 'null';
}

/** Returns the condition with another operator, and what it entered as far as the operator can use it. */
export function withOperator(condition: Condition, operator: Operator): Condition {
  const { kinds, isList } = FORMS[operator];
  const [kind = condition.kind] = kinds.includes(condition.kind) ? [condition.kind] : kinds;
  const values = kind === condition.kind ? condition.values.slice(0, isList ? undefined : 1) : [];
  return { ...condition, operator, kind, values };
}

/** Returns the kind of value that a schema type suggests. */
export function suggestKind(type: string | null): ValueKind {
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' || type === 'null' ? type : 'text';
}

/** Parses a filter that was entered as JSON. Returns undefined if it is not an object or null, or cannot be sent. */
export function parseFilterText(text: string): EventFilter | null | undefined {
  if (text.trim() === '') return null;
  return text.trim() === 'null' ? null : parseJsonObject(text);
}

/** Returns what a filter wants of a field, by operator; null for one that the form does not have. */
function operandsOf(wanted: unknown): [Operator | null, unknown][] {
  const isPlain = typeof wanted !== 'object' || wanted === null || Array.isArray(wanted);
  if (isPlain) return [['is', wanted]];
  const operands = Object.entries(wanted);
  if (operands.length === 0) return [[null, wanted]];
  return operands.map(([name, operand]) => [
    name === '$exists'
      ? operand === true
        ? 'exists'
        : 'isMissing'
      : (OPERATOR_NAMES.find((one) => FORMS[one].name === name) ?? null),
    operand,
  ]);
}

/** Returns an operand as it is entered, or null if the form would change it. */
function enter(operator: Operator | null, operand: unknown): Pick<Condition, 'kind' | 'values'> | null {
  const { kinds, isList } = operator === null ? FORMS.is : FORMS[operator];
  if (kinds.length === 0) return { kind: 'text', values: [] };
  // A list of one can differ from its member: only the list matches an array in the payload as a member.
  if (Array.isArray(operand) && (operand.length < 2 || !isList)) return null;
  const values: unknown[] = Array.isArray(operand) ? operand : [operand];
  const [kind, ...others] = new Set(values.map(findKind));
  if (kind === undefined || kind === null || others.length > 0 || !kinds.includes(kind)) return null;
  const texts = values.map(String);
  return new Set(texts).size === texts.length ? { kind, values: texts } : null;
}

function toOperand({ operator, kind, values }: Condition): unknown {
  if (FORMS[operator].kinds.length === 0) return operator === 'exists';
  const parsed = kind === 'null' ? [null] : values.map((value) => parseValue(kind, value));
  return parsed.length === 1 ? parsed[0] : parsed;
}

/** Plain values stand alone, and an operator can be used once. */
function excludes(one: Operator, other: Operator): boolean {
  return one === 'is' || other === 'is' || FORMS[one].name === FORMS[other].name;
}

function parseValue(kind: Exclude<ValueKind, 'null'>, value: string): unknown {
  if (kind === 'number') return Number(value);
  return kind === 'boolean' ? value === 'true' : value;
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && !Number.isNaN(Number(text));
}

function findKind(value: unknown): ValueKind | null {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  return typeof value === 'number' || typeof value === 'boolean'
    ? (typeof value as 'number' | 'boolean')
    : null;
}
