import { isObject, type JsonObject } from '../../infra/runtime/json.ts';

/** Deeper parts are left out, or null, wherever the schema allows that: a recursive schema would never end. */
const FULL_DEPTH = 6;
/** OpenAI accepts no deeper schema for an answer. */
const MAX_DEPTH = 32;
/** The most values to build: nested arrays with a minimum length grow exponentially. */
const MAX_VALUES = 500;
const MAX_LENGTH = 10_000;
/** The most references in a row, and the most parts of `allOf`, that are followed. */
const MAX_STEPS = 20;

const FORMATS: Record<string, string> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * Builds a small instance of a JSON Schema: the first allowed value of everything that is required, and of every declared
 * property. `text` is the string wherever any string is valid. Returns what comes closest if the schema allows no instance,
 * or uses `not`, `pattern` without an example, or a remote `$ref`.
 */
export function buildInstance(schema: unknown, text: string): unknown {
  return new InstanceBuilder(schema, text).build(schema, 0);
}

class InstanceBuilder {
  private values = 0;

  constructor(
    private readonly root: unknown,
    private readonly text: string,
  ) {}

  build(schema: unknown, depth: number): unknown {
    if (++this.values > MAX_VALUES || depth > MAX_DEPTH) return null;
    const resolved = this.resolve(schema, depth);
    if (resolved === null) return this.text;
    const { enum: values, examples } = resolved;
    if ('const' in resolved) return resolved.const;
    if (Array.isArray(values) && values.length > 0) return values[0];
    if ('default' in resolved) return resolved.default;
    if ('example' in resolved) return resolved.example;
    if (Array.isArray(examples) && examples.length > 0) return examples[0];
    switch (typeOf(resolved, depth)) {
      case 'object':
        return this.object(resolved, depth);
      case 'array':
        return this.array(resolved, depth);
      case 'number':
      case 'integer':
        return numberIn(resolved);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return this.string(resolved);
    }
  }

  private object({ properties, required, additionalProperties }: JsonObject, depth: number): JsonObject {
    const declared = isObject(properties) ? properties : {};
    const names = Array.isArray(required)
      ? required.filter((name): name is string => typeof name === 'string')
      : [];
    const optional = depth < FULL_DEPTH ? Object.keys(declared) : [];
    // Without a prototype, `__proto__` is a key like any other.
    const made = Object.create(null) as JsonObject;
    for (const name of new Set([...optional, ...names])) {
      if (this.values > MAX_VALUES) break;
      const part = Object.hasOwn(declared, name) ? declared[name] : additionalProperties;
      made[name] = this.build(part, depth + 1);
    }
    return made;
  }

  private array({ items, prefixItems, minItems }: JsonObject, depth: number): unknown[] {
    const first = Array.isArray(prefixItems) ? (prefixItems as unknown[]) : [];
    const fewest = Math.min(countOf(minItems), MAX_LENGTH);
    const length = Math.max(fewest, depth < FULL_DEPTH && items !== false ? 1 : 0, first.length);
    const made: unknown[] = [];
    while (made.length < length && this.values <= MAX_VALUES) {
      made.push(this.build(first[made.length] ?? items, depth + 1));
    }
    return made;
  }

  private string({ format, minLength, maxLength }: JsonObject): string {
    const known = typeof format === 'string' ? FORMATS[format] : undefined;
    if (known !== undefined) return known;
    const longest = maxLength === undefined ? MAX_LENGTH : countOf(maxLength);
    // By code points, as JSON Schema counts.
    return [...this.text.padEnd(Math.min(countOf(minLength), MAX_LENGTH), '.')].slice(0, longest).join('');
  }

  /** Follows references, and merges `allOf` and the first branch of a union. Null: any value. */
  private resolve(schema: unknown, depth: number): JsonObject | null {
    let current = schema;
    for (let steps = 0; steps < MAX_STEPS && isObject(current); steps++) {
      const { $ref: ref, allOf, anyOf, oneOf, ...rest } = current;
      if (typeof ref === 'string') {
        const target = this.at(ref);
        current = isObject(target) ? { ...target, ...rest } : target;
        continue;
      }
      const parts = Array.isArray(allOf) ? (allOf as unknown[]).slice(0, MAX_STEPS) : [];
      const [branch] = [anyOf, oneOf]
        .filter(Array.isArray)
        .map((union) => chooseBranch(union as unknown[], depth));
      if (parts.length === 0 && branch === undefined) return rest;
      current = [...parts, branch].reduce<JsonObject>((all, part) => merged(all, this.deref(part)), rest);
    }
    return isObject(current) ? current : null;
  }

  private deref(schema: unknown): unknown {
    const hasRef = isObject(schema) && typeof schema.$ref === 'string';
    return hasRef ? this.at(schema.$ref as string) : schema;
  }

  /** The part of the document that a local reference names. */
  private at(ref: string): unknown {
    if (!ref.startsWith('#')) return null;
    const keys = ref.split('/').slice(1, MAX_STEPS);
    return keys.reduce<unknown>((at, key) => {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      return isObject(at) && Object.hasOwn(at, name) ? at[name] : null;
    }, this.root);
  }
}

/** The branch of a union to build. Null says the least, but ends a recursion. */
function chooseBranch(union: unknown[], depth: number): unknown {
  const wantsNull = depth >= FULL_DEPTH;
  return union.find((branch) => (isObject(branch) && branch.type === 'null') === wantsNull) ?? union[0];
}

function merged(a: JsonObject, b: unknown): JsonObject {
  if (!isObject(b)) return a;
  const properties = { ...(a.properties as object | undefined), ...(b.properties as object | undefined) };
  const required = [a.required, b.required].flatMap((names) =>
    Array.isArray(names) ? (names as unknown[]) : [],
  );
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function typeOf({ type, properties, required, items, prefixItems }: JsonObject, depth: number): unknown {
  if (Array.isArray(type)) {
    const types = type as unknown[];
    if (depth >= FULL_DEPTH && types.includes('null')) return 'null';
    return types.find((one) => one !== 'null') ?? 'null';
  }
  if (type !== undefined) return type;
  if (properties !== undefined || required !== undefined) return 'object';
  return items !== undefined || prefixItems !== undefined ? 'array' : 'string';
}

function numberIn({
  type,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: JsonObject): number {
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : type === 'integer' ? 1 : 0;
  const nearby = step === 0 ? 0.5 : step;
  const low = Math.max(numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity) + nearby);
  const high = Math.min(numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity) - nearby);
  const near = Math.min(Math.max(1, low), high);
  if (step === 0) return near;
  const rounded = Math.ceil(near / step) * step;
  return rounded > high ? Math.floor(high / step) * step : rounded;
}

const numberOr = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
const countOf = (value: unknown) => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0);
