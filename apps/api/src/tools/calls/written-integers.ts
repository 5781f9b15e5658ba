import { inexactNumberProblem } from '../../infra/requests/json-numbers.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { resolve } from '../../infra/schemas/schema-path.ts';

const INTEGER = /^-?(?:0|[1-9]\d{0,999})$/;
/** The most schemas that are looked at for one value. Choices of choices could be any number. */
const MAX_SCHEMAS = 100;

/**
 * Replaces the integers that a value writes as strings of digits, because numbers do not hold all of them: where the schema wants
 * an integer and no string, all of `format: int64`, and otherwise those that a number would change. Copies what it changes.
 */
export function replaceWrittenIntegers(
  schema: unknown,
  value: unknown,
  replace: (digits: string) => unknown,
): unknown {
  return new Replacer(isObject(schema) ? schema : {}, replace).read([schema], value);
}

class Replacer {
  constructor(
    private readonly root: JsonObject,
    private readonly replace: (digits: string) => unknown,
  ) {}

  read(given: readonly unknown[], value: unknown): unknown {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
    const schemas = expand(given, this.root);
    if (schemas.length === 0) return value;
    if (typeof value === 'string') return isWritten(schemas, value) ? this.replace(value) : value;
    if (Array.isArray(value)) return this.readList(schemas, value);
    return isPlain(value) ? this.readObject(schemas, value) : value;
  }

  private readList(schemas: JsonObject[], value: unknown[]): unknown[] {
    const common = schemas.flatMap(({ items }) => (isObject(items) ? [items] : []));
    const byPlace = schemas.flatMap(({ prefixItems }) => (Array.isArray(prefixItems) ? [prefixItems] : []));
    if (common.length + byPlace.length === 0) return value;
    const read = value.map((item, i) => {
      const own = byPlace.flatMap((places): unknown[] => (i < places.length ? [places[i]] : []));
      return this.read(own.length > 0 ? own : common, item);
    });
    return read.some((item, i) => item !== value[i]) ? read : value;
  }

  private readObject(schemas: JsonObject[], value: JsonObject): JsonObject {
    const read = Object.entries(value).map(([key, field]): [string, unknown] => {
      const own = schemas.flatMap((schema) => schemaOfKey(schema, key));
      return [key, this.read(own, field)];
    });
    return read.some(([key, field]) => field !== value[key]) ? Object.fromEntries(read) : value;
  }
}

/** The schemas of a field. */
export function schemaOfKey({ properties, additionalProperties }: JsonObject, key: string): unknown[] {
  if (isObject(properties) && Object.hasOwn(properties, key)) return [properties[key]];
  return isObject(additionalProperties) ? [additionalProperties] : [];
}

/** The schemas that a value is compared with: those given, and those to which they refer, or that they combine or offer for choice. */
export function expand(given: readonly unknown[], root: JsonObject): JsonObject[] {
  const schemas = given.filter(isObject).slice(0, MAX_SCHEMAS);
  for (const { $ref, allOf, anyOf, oneOf } of schemas)
    for (const list of [typeof $ref === 'string' && [resolve($ref, root)], allOf, anyOf, oneOf])
      if (Array.isArray(list)) schemas.push(...list.filter(isObject).slice(0, MAX_SCHEMAS - schemas.length));
  return schemas;
}

function isWritten(schemas: readonly JsonObject[], value: string): boolean {
  if (!INTEGER.test(value)) return false;
  const typed = schemas.map(({ type, format }) => ({ types: [type].flat(), format }));
  if (typed.some(({ types }) => types.includes('string'))) return false;
  const numbers = typed.filter(({ types }) => types.includes('integer') || types.includes('number'));
  const isInt64 = numbers.some(({ format }) => format === 'int64' || format === 'uint64');
  return isInt64 || (numbers.length > 0 && inexactNumberProblem(value) !== null);
}

/** Files are objects without properties of their own to look at. */
function isPlain(value: object): value is JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
