import { isObject, setOwn, type JsonObject } from './json.ts';

/** Parts of a schema that is made from an example. */
const MAX_PARTS = 1_000;
const MAX_PROPERTIES = 500;
const MAX_DEPTH = 15;
const MAX_EXAMPLE = 500;

/** Names of whatever is likely to be secret, and so no example. */
export const SECRET = /key|token|secret|passw|auth|session|cookie|signature/i;

export function describeValues(values: readonly string[], isSecret = false): JsonObject {
  const [first = ''] = values;
  if (values.length === 1) return describeText(first, isSecret);
  const type = { type: 'array', items: { type: typeOfText(first) } };
  return { ...type, ...(!isSecret && withExample(values.map(parseText))) };
}

export function describeText(text: string, isSecret = false): JsonObject {
  return { type: typeOfText(text), ...(!isSecret && withExample(parseText(text))) };
}

function typeOfText(text: string): string {
  const value = parseText(text);
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
}

/** Only texts that a number or a boolean would be written as: not 007 and not 1e3. */
function parseText(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/.test(text) && String(Number(text)) === text
    ? Number(text)
    : text;
}

function withExample(value: unknown): JsonObject {
  return JSON.stringify(value).length > MAX_EXAMPLE || value === '' ? {} : { examples: [value] };
}

/** A schema that accepts values like the example. Those of properties whose names match `secret` are not repeated in it. */
export function describeExample(example: unknown, secret?: RegExp): JsonObject {
  let parts = 0;
  const describe = (value: unknown, depth: number, isSecret = false): JsonObject => {
    parts += 1;
    // What is beyond the limits, and null, may be anything.
    if (parts > MAX_PARTS || depth > MAX_DEPTH || value === null) return {};
    if (Array.isArray(value)) {
      return { type: 'array', ...(value.length > 0 && { items: describe(value[0], depth + 1, isSecret) }) };
    }
    if (isObject(value)) {
      const names = Object.keys(value).slice(0, MAX_PROPERTIES);
      const properties: JsonObject = {};
      for (const name of names)
        setOwn(properties, name, describe(value[name], depth + 1, isSecret || secret?.test(name) === true));
      // Only the body itself: nobody can tell which parts of its parts are optional.
      return { type: 'object', properties, ...(depth === 0 && { required: names }) };
    }
    const type = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
    return { type, ...(!isSecret && withExample(value)) };
  };
  return describe(example, 0);
}

export function groupByName(pairs: readonly [name: string, value: string][]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = groups.get(name);
    if (values === undefined) groups.set(name, [value]);
    else values.push(value);
  }
  return groups;
}
