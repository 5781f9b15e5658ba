import { isObject } from '../runtime/json.ts';

const MAX_DEPTH = 6;
const MAX_VALUES = 500;
const TEXTS: Record<string, string> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'person@example.com',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * Returns a value of the kind that a JSON Schema describes: what it gives as an example, otherwise the simplest. Bounded,
 * whatever the schema.
 */
export function exampleOf(schema: unknown): unknown {
  return new Examples().make(schema, 0);
}

class Examples {
  private values = 0;

  make(schema: unknown, depth: number): unknown {
    this.values += 1;
    if (!isObject(schema) || depth > MAX_DEPTH || this.values > MAX_VALUES) return null;
    for (const key of ['example', 'default', 'const']) if (schema[key] !== undefined) return schema[key];
    for (const key of ['examples', 'enum']) {
      const list = schema[key];
      if (Array.isArray(list) && list.length > 0) return list[0] as unknown;
    }
    const { allOf, anyOf, oneOf } = schema;
    if (Array.isArray(allOf)) return this.merge(schema, allOf, depth);
    for (const options of [anyOf, oneOf])
      if (Array.isArray(options) && options.length > 0) return this.make(options[0], depth + 1);
    return this.ofType(schema, depth);
  }

  private merge(schema: Record<string, unknown>, parts: unknown[], depth: number): unknown {
    const { allOf: _, ...own } = schema;
    const made = [own, ...parts].map((part) => this.make(part, depth + 1));
    const objects = made.filter(isObject);
    return objects.length > 0 ? Object.assign({}, ...objects) : (made.find((one) => one !== null) ?? null);
  }

  private ofType(schema: Record<string, unknown>, depth: number): unknown {
    switch (typeOf(schema)) {
      case 'object':
        return this.object(schema, depth);
      case 'array':
        return schema.items === undefined ? [] : [this.make(schema.items, depth + 1)];
      case 'string':
        return TEXTS[String(schema.format)] ?? 'text';
      case 'integer':
      case 'number':
        return typeof schema.minimum === 'number' ? schema.minimum : 1;
      case 'boolean':
        return true;
      default:
        return null;
    }
  }

  private object({ properties }: Record<string, unknown>, depth: number): Record<string, unknown> {
    const made: [string, unknown][] = [];
    for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
      if (this.values > MAX_VALUES) break;
      made.push([name, this.make(schema, depth + 1)]);
    }
    return Object.fromEntries(made);
  }
}

function typeOf({ type, properties, items }: Record<string, unknown>): string {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  const given = types.find((one) => typeof one === 'string' && one !== 'null');
  if (typeof given === 'string') return given;
  if (properties !== undefined) return 'object';
  return items === undefined ? 'null' : 'array';
}
