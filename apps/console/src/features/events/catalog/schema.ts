import type { JsonSchema } from '@platform/contracts';

type SchemaObject = Exclude<JsonSchema, boolean>;

/** Deeper or longer schemas are shown in part: the JSON view has the rest. */
const MAX_DEPTH = 8;
const MAX_FIELDS = 500;

/** A field of a payload. */
export interface SchemaField {
  /** Such as customer.address.city or lines[].price. */
  path: string;
  depth: number;
  type: string;
  required: boolean;
  description: string;
  /** Such as ["a","b"] or 1 ≤ value ≤ 5. */
  rules: string[];
}

/** Lists the fields of an object schema, nested ones after their parent. */
export function listFields(schema: JsonSchema): SchemaField[] {
  const fields: SchemaField[] = [];
  const visit = (value: unknown, path: string, depth: number): void => {
    const object = asSchema(value);
    if (object === null || depth > MAX_DEPTH) return;
    const required = new Set(Array.isArray(object.required) ? object.required : []);
    for (const [name, child] of Object.entries(asRecord(object.properties))) {
      if (fields.length >= MAX_FIELDS) return;
      const childPath = path === '' ? name : `${path}.${name}`;
      const childObject = asSchema(child) ?? {};
      fields.push({
        path: childPath,
        depth,
        type: formatType(childObject),
        required: required.has(name),
        description: asText(childObject.description) || asText(childObject.title),
        rules: listRules(childObject),
      });
      visit(child, childPath, depth + 1);
      if (childObject.items !== undefined) visit(childObject.items, `${childPath}[]`, depth + 1);
    }
  };
  visit(schema, '', 0);
  return fields;
}

/** Returns the type of a field, such as `total` or `customer.age`, if the schema declares exactly one. */
export function findFieldType(schema: JsonSchema | undefined, path: string): string | null {
  const child = (parent: unknown, name: string): unknown => {
    const properties = asRecord(asSchema(parent)?.properties);
    return Object.hasOwn(properties, name) ? properties[name] : undefined;
  };
  // The service, too, prefers the field whose name has the dots.
  const field = asSchema(child(schema, path) ?? path.split('.').reduce<unknown>(child, schema));
  return typeof field?.type === 'string' ? field.type : null;
}

/**
 * Returns a payload that a simple schema accepts. Patterns and combinations are left to the user. With `isMinimal`, fields
 * that can be left out are, unless the schema suggests a value.
 */
export function createSample(schema: JsonSchema, { isMinimal = false } = {}): unknown {
  let left = MAX_FIELDS;
  const create = (value: unknown, depth: number): unknown => {
    const object = asSchema(value);
    if (object === null) return {};
    if (object.const !== undefined) return object.const;
    if (object.default !== undefined) return object.default;
    if (Array.isArray(object.examples) && object.examples.length > 0) return object.examples[0] as unknown;
    if (Array.isArray(object.enum) && object.enum.length > 0) return object.enum[0] as unknown;
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const choices = object[keyword];
      if (Array.isArray(choices) && choices.length > 0 && depth < MAX_DEPTH)
        return create(choices[0], depth + 1);
    }
    switch (firstType(object)) {
      case 'string':
        return createText(object);
      case 'integer':
      case 'number':
        return createNumber(object);
      case 'boolean':
        return true;
      case 'null':
        return null;
      case 'array':
        return object.items === undefined || depth >= MAX_DEPTH ? [] : [create(object.items, depth + 1)];
      default: {
        const entries: [string, unknown][] = [];
        if (depth >= MAX_DEPTH) return {};
        const required = new Set(Array.isArray(object.required) ? object.required : []);
        for (const [name, child] of Object.entries(asRecord(object.properties))) {
          if (isMinimal && !required.has(name) && !hasSuggestion(child)) continue;
          if (left-- <= 0) break;
          entries.push([name, create(child, depth + 1)]);
        }
        return Object.fromEntries(entries);
      }
    }
  };
  return create(schema, 0);
}

function hasSuggestion(schema: unknown): boolean {
  const { const: only, default: usual, examples } = asSchema(schema) ?? {};
  return only !== undefined || usual !== undefined || (Array.isArray(examples) && examples.length > 0);
}

const TEXTS: Record<string, string> = {
  'date-time': '2026-01-31T09:30:00Z',
  date: '2026-01-31',
  time: '09:30:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '0198c5a4-6b7e-7c3d-9a1f-2b3c4d5e6f70',
  ipv4: '192.0.2.1',
};

function createText(schema: SchemaObject): string {
  const text = TEXTS[asText(schema.format)] ?? 'text';
  const least = typeof schema.minLength === 'number' ? Math.min(schema.minLength, 1_000) : 0;
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : Infinity;
  return text.padEnd(least, 'x').slice(0, most);
}

function createNumber(schema: SchemaObject): number {
  const { minimum, maximum, exclusiveMinimum } = schema;
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' && maximum < 1 ? maximum : 1;
}

function firstType(schema: SchemaObject): unknown {
  if (Array.isArray(schema.type)) return schema.type.find((type) => type !== 'null') ?? 'null';
  return schema.type ?? (schema.items === undefined ? 'object' : 'array');
}

function formatType(schema: SchemaObject): string {
  const type = Array.isArray(schema.type) ? schema.type.map(String).join(' | ') : asText(schema.type);
  const format = asText(schema.format);
  if (type === 'array') {
    const items = asText(asSchema(schema.items)?.type);
    return items === '' ? 'array' : `${items}[]`;
  }
  return [type || 'any', format].filter(Boolean).join(' · ');
}

const LIMITS: [string, string][] = [
  ['minimum', '≥'],
  ['exclusiveMinimum', '>'],
  ['maximum', '≤'],
  ['exclusiveMaximum', '<'],
];

function listRules(schema: SchemaObject): string[] {
  const rules: string[] = [];
  if (Array.isArray(schema.enum)) rules.push(schema.enum.map((value) => JSON.stringify(value)).join(' | '));
  if (schema.const !== undefined) rules.push(`= ${JSON.stringify(schema.const)}`);
  for (const [keyword, sign] of LIMITS) {
    if (typeof schema[keyword] === 'number') rules.push(`${sign} ${schema[keyword]}`);
  }
  for (const keyword of ['minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'] as const) {
    if (schema[keyword] !== undefined) rules.push(`${keyword} ${JSON.stringify(schema[keyword])}`);
  }
  return rules;
}

function asSchema(value: unknown): SchemaObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as SchemaObject)
    : null;
}

/** Returns the value if it is an object, or else an empty one. */
export function asRecord(value: unknown): Record<string, unknown> {
  return asSchema(value) ?? {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
