import { deeperThan } from '../requests/json-shape.ts';
import { isObject, type JsonObject } from '../runtime/json.ts';
import { compilePattern, COST, type Cost } from './validation-budget.ts';

/** Levels of objects and arrays per level of schemas. */
const JSON_LEVELS = 4;
const MAX_PATTERN_LENGTH = 1_000;
const MAX_PROGRAM_SIZE = 10_000;
const DRAFT = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

const ONE = [
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'contains',
  'unevaluatedItems',
  'not',
  'if',
  'then',
  'else',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'];
/** Applied to the same value as the schema they are in. */
const IN_PLACE = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
  '$ref',
]);
/** They would make the meaning of a reference depend on more than its text, or validation asynchronous. */
const UNSUPPORTED = [
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  '$async',
];

/** Compared with a value as a whole, at every level. */
const WHOLE = ['enum', 'const', 'dependentRequired', 'dependencies'];
const PER_ITEM = ['items', 'contains', 'unevaluatedItems', 'uniqueItems'];
const PER_KEY = [
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'patternProperties',
  'minProperties',
  'maxProperties',
];
const PER_CHARACTER = ['minLength', 'maxLength', 'format'];

export interface SchemaLimits {
  /** As JSON. */
  bytes: number;
  /** Levels of schemas within schemas. */
  depth: number;
  /**
   * What becomes of patterns that have no linear-time program: they are a problem of the schema, or they are left out,
   * and any text matches. `ignored`: all are left out, and formats as well.
   */
  patterns: 'required' | 'optional' | 'ignored';
}

export interface SchemaCopy {
  /** What is compiled: the schema with its costs. */
  schema: unknown;
  problems: string[];
}

/**
 * Copies a schema for the compiler, with the cost of every subschema in it, and finds what the compiler must not see:
 * remote references, references that lead back to themselves, patterns without a linear-time program.
 */
export function copySchema(schema: unknown, pointer: string, limits: SchemaLimits): SchemaCopy {
  if (typeof schema !== 'boolean' && !isObject(schema))
    return { schema: null, problems: [`${pointer} must be a JSON Schema: an object or a boolean`] };
  if (deeperThan(schema, limits.depth * JSON_LEVELS))
    return { schema: null, problems: [tooDeep(pointer, limits)] };
  if (Buffer.byteLength(JSON.stringify(schema)) > limits.bytes)
    return { schema: null, problems: [`${pointer} must have at most ${limits.bytes} bytes as JSON`] };
  return new Copier(pointer, limits).copy(schema);
}

const tooDeep = (pointer: string, { depth }: SchemaLimits) =>
  `${pointer} must not be nested deeper than ${depth} schemas`;

class Copier {
  private readonly problems: string[] = [];
  /** Which schemas a schema applies to the same value. */
  private readonly inPlace = new Map<string, string[]>();
  private readonly references: { from: string; to: string }[] = [];

  constructor(
    private readonly pointer: string,
    private readonly limits: SchemaLimits,
  ) {}

  copy(schema: boolean | JsonObject): SchemaCopy {
    const copy = this.subschema(schema, '', 1);
    for (const { from, to } of this.references)
      if (!this.inPlace.has(to)) this.report(`${from}/$ref`, 'must refer to a schema within this schema');
    if (this.problems.length === 0) this.findCircle();
    return { schema: copy, problems: this.problems };
  }

  private report(at: string, problem: string): void {
    this.problems.push(`${this.pointer}${at} ${problem}`);
  }

  private subschema(schema: unknown, at: string, depth: number): unknown {
    this.inPlace.set(at, []);
    if (!isObject(schema)) return schema;
    if (depth > this.limits.depth) {
      this.problems.push(tooDeep(`${this.pointer}${at}`, this.limits));
      return {};
    }
    const copy: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (this.isLeftOut(keyword, value, at)) continue;
      copy.push([keyword, this.keyword(keyword, value, at, depth)]);
    }
    copy.push([COST, costOf(schema)]);
    return Object.fromEntries(copy);
  }

  /** Identifiers would be shared by all schemas of the compiler. */
  private isLeftOut(keyword: string, value: unknown, at: string): boolean {
    if (keyword === '$schema') {
      if (typeof value !== 'string' || !DRAFT.test(value))
        this.report(`${at}/$schema`, 'must be https://json-schema.org/draft/2020-12/schema');
      return true;
    }
    if (UNSUPPORTED.includes(keyword) || (keyword === '$id' && at !== ''))
      this.report(`${at}/${keyword}`, 'is not supported');
    if (keyword === 'pattern' && this.isPatternLeftOut(value)) return true;
    if (this.limits.patterns === 'ignored' && (keyword === 'pattern' || keyword === 'format')) return true;
    return keyword === '$id' || keyword === '$comment';
  }

  private keyword(keyword: string, value: unknown, at: string, depth: number): unknown {
    const here = `${at}/${keyword}`;
    const child = (schema: unknown, key?: string | number) => {
      const place = key === undefined ? here : `${here}/${escaped(String(key))}`;
      if (IN_PLACE.has(keyword)) this.inPlace.get(at)?.push(place);
      return this.subschema(schema, place, depth + 1);
    };
    if (keyword === '$ref') this.reference(value, at);
    if (keyword === 'pattern') this.pattern(value, here);
    if (ONE.includes(keyword)) return child(value);
    if (LISTS.includes(keyword) && Array.isArray(value)) return value.map((schema, i) => child(schema, i));
    if (!MAPS.includes(keyword) || !isObject(value)) return value;
    const entries = Object.entries(value).filter(
      ([key]) => keyword !== 'patternProperties' || !this.isPatternLeftOut(key),
    );
    return Object.fromEntries(
      entries.map(([key, schema]) => {
        if (keyword === 'patternProperties') this.pattern(key, `${here}/${escaped(key)}`);
        return [key, Array.isArray(schema) ? schema : child(schema, key)];
      }),
    );
  }

  private reference(value: unknown, at: string): void {
    if (typeof value !== 'string' || !/^#(\/|$)/.test(value)) {
      this.report(`${at}/$ref`, 'must begin with "#/": only schemas within this schema can be referred to');
      return;
    }
    const to = decoded(value.slice(1));
    this.references.push({ from: at, to });
    this.inPlace.get(at)?.push(to);
  }

  private pattern(value: unknown, at: string): void {
    if (typeof value !== 'string') return;
    const problem = patternProblem(value);
    if (problem !== null) this.report(at, problem);
  }

  private isPatternLeftOut(value: unknown): boolean {
    const { patterns } = this.limits;
    return patterns !== 'required' && typeof value === 'string' && patternProblem(value) !== null;
  }

  /** A schema that applies itself to the same value would never end. */
  private findCircle(): void {
    const done = new Set<string>();
    for (const start of this.inPlace.keys()) {
      const open = new Set<string>();
      const stack = [{ at: start, isEnd: false }];
      for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
        const { at, isEnd } = next;
        if (isEnd) {
          open.delete(at);
          done.add(at);
        } else if (open.has(at)) {
          this.report(at, 'refers to itself for the same value');
          return;
        } else if (!done.has(at)) {
          open.add(at);
          stack.push({ at, isEnd: true });
          for (const to of this.inPlace.get(at) ?? []) stack.push({ at: to, isEnd: false });
        }
      }
    }
  }
}

/** Returns what is wrong with a pattern, or null. Patterns run on an engine that takes linear time. */
function patternProblem(pattern: string): string | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return `must have at most ${MAX_PATTERN_LENGTH} characters`;
  try {
    if (compilePattern(pattern).programSize() <= MAX_PROGRAM_SIZE) return null;
    return 'is too large a pattern';
  } catch (error) {
    const { message } = error as Error;
    return `is not a pattern of the supported syntax (RE2, without lookaround and backreferences): ${message}`;
  }
}

function costOf(schema: JsonObject): Cost {
  const has = (keywords: string[]) => keywords.some((keyword) => keyword in schema);
  const sizes = Object.entries(schema).map(([keyword, value]) =>
    WHOLE.includes(keyword) ? partsOf(value) : sizeOf(value),
  );
  return {
    base: 1 + sizes.reduce((sum, size) => sum + size, 0),
    perItem: PER_ITEM.filter((keyword) => keyword in schema).length,
    perKey: has(PER_KEY) ? 1 + sizeOf(schema.patternProperties) : 0,
    perCharacter: has(PER_CHARACTER),
  };
}

function sizeOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** Counts the members of a value at every level. */
function partsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + 1 + partsOf(part), 0);
}

const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The pointer of a reference as it is built here, which escapes `~` and `/` but no other characters. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
