import type { QuestionField, QuestionRecipients } from '@platform/contracts';
import { deeperThan } from '../../infra/requests/json-shape.ts';
import { isText } from '../../infra/requests/text.ts';
import { isUuid } from '../../infra/requests/ids.ts';
import { isObject } from '../../infra/runtime/json.ts';

const FIELD_TYPES = ['text', 'number', 'boolean', 'choice', 'date'] as const;
/** What a person could enter. */
export function exampleAnswer({ type, choices = null }: QuestionField): unknown {
  const [first = null] = choices ?? [];
  switch (type) {
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'date':
      return '2026-01-31';
    case 'choice':
      return first;
    case 'text':
      return 'text';
  }
}

export const MAX_FIELDS = 50;
export const MAX_RECIPIENTS = 50;
const MAX_CHOICES = 100;
const MAX_LABEL = 200;
const MAX_TEXT = 10_000;
/** All fields as JSON. */
const MAX_FIELDS_LENGTH = 16_384;
const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const NAMES = ['key', 'label', 'type', 'choices', 'required'];

/** Returns what is wrong with the fields of a question, as the end of a sentence; null if nothing is. */
export function fieldsProblem(value: unknown): string | null {
  if (!Array.isArray(value) || value.length > MAX_FIELDS)
    return `must be an array of at most ${MAX_FIELDS} fields`;
  const keys = new Set<unknown>();
  for (const [i, field] of value.entries()) {
    const problem = fieldProblem(field, keys);
    if (problem !== null) return `must have a valid field at ${i}: ${problem}`;
    keys.add((field as QuestionField).key);
  }
  const isLong = JSON.stringify(value).length > MAX_FIELDS_LENGTH;
  return isLong ? `must have at most ${MAX_FIELDS_LENGTH} characters as JSON` : null;
}

function fieldProblem(field: unknown, keys: ReadonlySet<unknown>): string | null {
  if (!isObject(field)) return 'it must be an object with key, label, and type';
  const unknown = Object.keys(field).find((name) => !NAMES.includes(name));
  if (unknown !== undefined) return `it must not have ${JSON.stringify(unknown)}`;
  const { key, label, type, choices = null, required = null } = field;
  if (typeof key !== 'string' || !KEY.test(key))
    return 'key must be a letter or _ followed by at most 63 letters, digits, or _';
  if (keys.has(key)) return `another field has the key ${key}`;
  if (!isFilled(label, MAX_LABEL)) return `label must be a text of 1 to ${MAX_LABEL} characters`;
  if (!FIELD_TYPES.some((one) => one === type)) return `type must be one of ${FIELD_TYPES.join(', ')}`;
  if (required !== null && typeof required !== 'boolean') return 'required must be true or false';
  if (type === 'choice') return choicesProblem(choices);
  return choices === null ? null : 'only a field of type choice has choices';
}

function choicesProblem(choices: unknown): string | null {
  const isList =
    Array.isArray(choices) &&
    choices.length > 0 &&
    choices.length <= MAX_CHOICES &&
    choices.every((choice) => isFilled(choice, MAX_LABEL));
  if (!isList)
    return `choices must be an array of 1 to ${MAX_CHOICES} texts of at most ${MAX_LABEL} characters`;
  return new Set(choices).size === choices.length ? null : 'choices must differ from each other';
}

/** Returns what is wrong with `to` of a question, as the end of a sentence; null if nothing is. */
export function recipientsProblem(value: unknown): string | null {
  if (value === 'owner' || value === 'admins') return null;
  const ids = isObject(value) && Object.keys(value).length === 1 ? value['userIds'] : undefined;
  const isValid =
    Array.isArray(ids) &&
    ids.length > 0 &&
    ids.length <= MAX_RECIPIENTS &&
    ids.every((id) => typeof id === 'string' && isUuid(id));
  return isValid ? null : `must be owner, admins, or an object with 1 to ${MAX_RECIPIENTS} userIds`;
}

/** Returns the people of `to`, without repetitions; null if it names none. */
export function namedUsers(recipients: QuestionRecipients): string[] | null {
  if (typeof recipients === 'string') return null;
  return [...new Set(recipients.userIds.map((id) => id.toLowerCase()))];
}

/**
 * Checks the values of an answer. Returns those that are given, in the order of the fields, and one sentence per problem. What is
 * required is required unless the answer rejects.
 */
export function readValues(
  fields: readonly QuestionField[],
  given: Readonly<Record<string, unknown>>,
  isRejected: boolean,
): { values: Record<string, unknown>; problems: string[] } {
  const known = new Set(fields.map(({ key }) => key));
  const problems = Object.keys(given)
    .filter((key) => !known.has(key))
    .map((key) => `values.${key} is not a field of the question`);
  const values: [string, unknown][] = [];
  for (const field of fields) {
    const value = Object.hasOwn(given, field.key) ? given[field.key] : null;
    if (value === null || value === undefined || value === '') {
      if (field.required === true && !isRejected) problems.push(`values.${field.key} is required`);
      continue;
    }
    const problem = valueProblem(field, value);
    if (problem === null) values.push([field.key, value]);
    else problems.push(`values.${field.key} ${problem}`);
  }
  return { values: Object.fromEntries(values), problems };
}

/** Returns what is wrong with how many values an answer has, or null. One that is false is none. */
export function countOfValuesProblem(
  {
    fields,
    minValues,
    maxValues,
  }: { fields: readonly QuestionField[]; minValues: number | null; maxValues: number | null },
  values: Readonly<Record<string, unknown>>,
): string | null {
  const min = minValues ?? 0;
  const max = maxValues ?? fields.length;
  const given = Object.values(values).filter((value) => value !== false).length;
  if (given >= min && given <= max) return null;
  const wanted = min === max ? String(min) : `${min} to ${max}`;
  return `values must have ${wanted} of ${fields.map(({ key }) => key).join(', ')}, not ${given}`;
}

function valueProblem({ type, choices }: QuestionField, value: unknown): string | null {
  switch (type) {
    case 'text':
      return isText(value) && value.length <= MAX_TEXT
        ? null
        : `must be a text of at most ${MAX_TEXT} characters`;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'choice':
      return choices?.some((choice) => choice === value)
        ? null
        : `must be one of ${(choices ?? []).join(', ')}`;
    case 'date':
      return isDate(value) ? null : 'must be a date such as 2026-03-31';
  }
}

/** Whether a value is a date of the calendar as YYYY-MM-DD. */
function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isFilled(value: unknown, max: number): boolean {
  return isText(value) && value.trim() !== '' && value.length <= max;
}

/** The longest arguments that a person can be shown, as JSON in UTF-8. */
export const MAX_ARGUMENTS_BYTES = 8 * 1024;
const MAX_ARGUMENTS_DEPTH = 64;

/** `arguments` of an answer: one sentence per problem. */
export function argumentsProblems(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (!isObject(value) || deeperThan(value, MAX_ARGUMENTS_DEPTH)) return [`${path} must be an object`];
  return Buffer.byteLength(JSON.stringify(value)) <= MAX_ARGUMENTS_BYTES
    ? []
    : [`${path} must have at most ${MAX_ARGUMENTS_BYTES} bytes as JSON`];
}
