import type { ColumnType, JsonSchema, ManifestColumn } from '@platform/contracts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';

/** The JSON types that a column can hold, as schemas name them. */
const JSON_TYPES: Record<ColumnType, readonly string[]> = {
  string: ['string'],
  integer: ['integer'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  datetime: ['string'],
  json: ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'],
};

/** Schemas and fields that are looked at for one table. References can make a small document endless. */
const MAX_STEPS = 5_000;
/** Schemas within schemas, along references. A longer chain is not judged. */
const MAX_DEPTH = 500;
/** With one of these, a schema can allow fields that its `properties` do not name. */
const OPENING = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

/**
 * Returns why no row of a table could satisfy the schema of the event that it emits; an empty list if some rows may.
 * Judges what decides for every row: which fields there are, and their types.
 */
export function findMisfits(columns: readonly ManifestColumn[], schema: JsonSchema): string[] {
  const types = new Map<string, readonly string[]>([
    ['id', ['string']],
    ['createdAt', ['string']],
  ]);
  for (const { name, type, required } of columns) {
    types.set(name, required === true ? JSON_TYPES[type] : [...JSON_TYPES[type], 'null']);
  }
  return new PayloadFit(types, schema).misfits(schema);
}

class PayloadFit {
  private readonly seen = new Set<unknown>();
  private steps = 0;

  constructor(
    /** The fields of every payload, with the types of their values. */
    private readonly fields: ReadonlyMap<string, readonly string[]>,
    private readonly root: JsonSchema,
  ) {}

  misfits(schema: unknown, depth = 0): string[] {
    if (schema === false) return ['allows no payload'];
    if (!isObject(schema) || this.seen.has(schema) || this.isFar(depth)) return [];
    this.seen.add(schema);
    const { type, required, allOf, $ref } = schema;
    const problems = [
      ...(isTypeAllowed(type, ['object']) ? [] : ['does not allow an object']),
      ...texts(required)
        .filter((name) => !this.fields.has(name))
        .map((name) => `requires ${quote(name)}, which the table does not have`),
      ...this.countProblems(schema),
      ...this.fieldProblems(schema),
    ];
    for (const part of list(allOf)) problems.push(...this.misfits(part, depth + 1));
    if (typeof $ref === 'string') problems.push(...this.misfits(this.resolve($ref), depth + 1));
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = list(schema[keyword]).map((branch) => this.misfits(branch, depth + 1));
      if (branches.length > 0 && branches.every((branch) => branch.length > 0)) {
        problems.push(...(branches[0] ?? []));
      }
    }
    return problems;
  }

  private countProblems({ minProperties, maxProperties }: JsonObject): string[] {
    const { size } = this.fields;
    if (typeof minProperties === 'number' && minProperties > size) {
      return [`requires ${minProperties} fields, and the table has ${size}`];
    }
    if (typeof maxProperties === 'number' && maxProperties < size) {
      return [`allows at most ${maxProperties} fields, and the table has ${size}`];
    }
    return [];
  }

  private fieldProblems(schema: JsonObject): string[] {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const others = othersOf(schema);
    const names = others === undefined ? Object.keys(properties) : this.fields.keys();
    const problems: string[] = [];
    for (const name of names) {
      const types = this.fields.get(name);
      if (types === undefined) continue;
      if (++this.steps > MAX_STEPS) break;
      const field = Object.hasOwn(properties, name) ? properties[name] : others;
      if (field === false) problems.push(`does not allow ${quote(name)}`);
      else if (!this.isPossible(field, types, new Set(), 0)) {
        problems.push(`does not allow the type of ${quote(name)}`);
      }
    }
    return problems;
  }

  /** Whether a value of one of the types may satisfy a schema. */
  private isPossible(schema: unknown, types: readonly string[], seen: Set<unknown>, depth: number): boolean {
    if (schema === false) return false;
    if (!isObject(schema) || seen.has(schema) || this.isFar(depth)) return true;
    seen.add(schema);
    if (!isTypeAllowed(schema.type, types)) return false;
    if (Object.hasOwn(schema, 'const') && !hasType(schema.const, types)) return false;
    if (Array.isArray(schema.enum) && !schema.enum.some((value) => hasType(value, types))) return false;
    const isBranchPossible = (branch: unknown) => this.isPossible(branch, types, seen, depth + 1);
    if (typeof schema.$ref === 'string' && !isBranchPossible(this.resolve(schema.$ref))) return false;
    if (!list(schema.allOf).every(isBranchPossible)) return false;
    return ['anyOf', 'oneOf'].every((keyword) => {
      const branches = list(schema[keyword]);
      return branches.length === 0 || branches.some(isBranchPossible);
    });
  }

  /** Whether a schema is too far away, or one too many, to be judged. */
  private isFar(depth: number): boolean {
    return depth > MAX_DEPTH || ++this.steps > MAX_STEPS;
  }

  /** Follows a reference within the document; undefined, which allows everything, for any other. */
  private resolve(reference: string): unknown {
    if (reference === '#') return this.root;
    if (!reference.startsWith('#/')) return undefined;
    let value: unknown = this.root;
    for (const part of reference.slice(2).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as JsonObject)[key];
    }
    return value;
  }
}

/** The schema of the fields that `properties` does not name; undefined if patterns or other keywords decide as well. */
function othersOf(schema: JsonObject): unknown {
  if (isObject(schema.patternProperties)) return undefined;
  if (Object.hasOwn(schema, 'additionalProperties')) return schema.additionalProperties;
  const isOpen = OPENING.some((keyword) => Object.hasOwn(schema, keyword));
  return isOpen ? undefined : schema.unevaluatedProperties;
}

/** Whether the keyword `type` allows one of the types. Every integer is a number. */
function isTypeAllowed(type: unknown, types: readonly string[]): boolean {
  if (type === undefined) return true;
  const allowed: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.some((one) => allowed.includes(one) || (one === 'integer' && allowed.includes('number')));
}

function hasType(value: unknown, types: readonly string[]): boolean {
  return types.includes(typeOf(value)) || (Number.isInteger(value) && types.includes('number'));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function texts(value: unknown): string[] {
  return list(value).filter((item) => typeof item === 'string');
}

const quote = (name: string) => JSON.stringify(name);
