import type { JsonSchema, MethodPortLocation, ToolMethod } from '@platform/contracts';
import { isInexact } from '../../../ui/code/inexact-number.ts';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { hasInexactNumber, parseJson } from '../../../ui/code/parse-json.ts';
import { asRecord, listFields, type SchemaField } from '../../events/catalog/schema.ts';

/** A form with more fields would be harder to use than the JSON. */
const MAX_FIELDS = 60;
/** How the import marks integers of 64 bits, which it lets be sent as texts. */
const INTEGER_TEXT = '^-?[0-9]{1,19}$';

type FieldKind = 'text' | 'number' | 'integer' | 'largeInteger' | 'boolean' | 'choice' | 'json';

const INTEGER = /^-?\d+$/;

/** A port of a method, as one field of a form. */
export interface InputField extends Pick<SchemaField, 'type' | 'required' | 'description'> {
  name: string;
  kind: FieldKind;
  /** The values of a `choice`. */
  choices: unknown[];
  /** Where the value goes in the HTTP request. */
  place: MethodPortLocation | null;
}

type TextProblem = 'NOT_A_NUMBER' | 'NOT_AN_INTEGER' | 'INEXACT_NUMBER' | 'NOT_JSON';
export type ParsedText = { value: unknown } | { problem: TextProblem };

/** Lists the ports of a method, what it needs first. Null if there are none, or too many for a form. */
export function listInputFields({
  inputSchema,
  bindings,
}: Pick<ToolMethod, 'inputSchema' | 'bindings'>): InputField[] | null {
  const fields = listFields(inputSchema as JsonSchema).filter(({ depth }) => depth === 0);
  if (fields.length === 0 || fields.length > MAX_FIELDS) return null;
  const properties = asRecord(inputSchema.properties);
  const places = new Map(bindings.map((binding) => [binding.port, binding.in]));
  return fields
    .map(({ path: name, type, required, description }): InputField => {
      const place = places.get(name) ?? null;
      const schema = asRecord(properties[name]);
      const shared = { name, type, description, place, required: required || place === 'path' };
      const choices = Array.isArray(schema.enum) ? (schema.enum as unknown[]) : [];
      return { ...shared, choices, kind: choices.length > 0 ? 'choice' : getKind(schema) };
    })
    .sort((one, other) => Number(other.required) - Number(one.required));
}

/** Returns how a value is edited: as JSON if it isn't of the type that the schema declares. */
export function getKindOf(field: InputField, value: unknown): FieldKind {
  if (value === undefined) return field.kind;
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? 'text' : 'json';
    case 'number':
    case 'integer':
      return typeof value === 'number' ? field.kind : 'json';
    case 'largeInteger':
      return typeof value === 'number' || (typeof value === 'string' && INTEGER.test(value))
        ? field.kind
        : 'json';
    case 'boolean':
      return typeof value === 'boolean' ? 'boolean' : 'json';
    case 'choice':
      return field.choices.includes(value) ? 'choice' : 'json';
    case 'json':
      return 'json';
  }
}

/** Returns the text of a value: JSON, except for texts and digits. Empty if the port is left out. */
export function formatValue(kind: FieldKind, value: unknown): string {
  const isText = kind === 'text' || kind === 'largeInteger';
  return isText && typeof value === 'string' ? value : formatJson(value);
}

/** Returns the value of a text; `value` is undefined if the port is left out. */
export function parseText(kind: FieldKind, text: string, isRequired: boolean): ParsedText {
  if (kind === 'text') return { value: text === '' && !isRequired ? undefined : text };
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  if (kind === 'number' || kind === 'integer') {
    const value = Number(trimmed);
    if (Number.isNaN(value)) return { problem: 'NOT_A_NUMBER' };
    if (isInexact(trimmed)) return { problem: 'INEXACT_NUMBER' };
    return kind === 'integer' && !Number.isInteger(value) ? { problem: 'NOT_AN_INTEGER' } : { value };
  }
  if (kind === 'largeInteger') {
    if (!INTEGER.test(trimmed)) return { problem: 'NOT_AN_INTEGER' };
    const digits = String(BigInt(trimmed));
    return { value: isInexact(digits) ? digits : Number(digits) };
  }
  const value = parseJson(trimmed);
  if (value !== undefined) return { value };
  return { problem: hasInexactNumber(trimmed) ? 'INEXACT_NUMBER' : 'NOT_JSON' };
}

/** Returns an input with another value of one port, or without the port. */
export function withValue(
  input: Record<string, unknown>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  // A new key is the last one, and names such as __proto__ are keys like others.
  const entries = Object.entries(input).map(([key, old]) => [key, key === name ? value : old] as const);
  if (!Object.hasOwn(input, name)) entries.push([name, value]);
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined));
}

function getKind({ type, format, pattern }: Record<string, unknown>): FieldKind {
  if (Array.isArray(type)) {
    const isLarge = format === 'int64' || pattern === INTEGER_TEXT;
    return isLarge && (type as unknown[]).toSorted().join() === 'integer,string' ? 'largeInteger' : 'json';
  }
  switch (type) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
    case 'boolean':
      return type;
    default:
      return 'json';
  }
}
