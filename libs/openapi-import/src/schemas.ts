import { getOwn, isObject, pointerSegment, setOwn, type JsonObject } from './json.ts';
import { mergeSchemas } from './merge-all-of.ts';
import type { References } from './references.ts';
import type { PortSchema, ReportReason } from './types.ts';

/** The most nodes of one converted schema. What is beyond them becomes the empty object schema. */
const MAX_NODES = 2_000;
/** The most members of one `allOf`, nested ones included. */
const MAX_MEMBERS = 200;

/** Keywords with plain values that mean the same in draft 2020-12. */
const PLAIN = [
  ...[
    'title',
    'description',
    'format',
    'const',
    'default',
    'pattern',
    'minLength',
    'maxLength',
    'multipleOf',
  ],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains'],
  ...['readOnly', 'writeOnly', 'deprecated', 'contentEncoding', 'contentMediaType', 'dependentRequired'],
  'discriminator',
];
const CHILD = [
  ...['items', 'contains', 'not', 'if', 'then', 'else', 'additionalProperties', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
];
const CHILD_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const CHILD_MAPS = ['properties', 'patternProperties', 'dependentSchemas'];

/** The schema of a value about which nothing is known. */
export function emptySchema({ title, description }: JsonObject = {}): PortSchema {
  return {
    type: 'object',
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    properties: {},
  };
}

/** A schema of the document that waits to be converted. */
interface Pending {
  source: unknown;
  pointer: string;
  /** The schemas that contain it, by identity, to find cycles. */
  ancestors: Ancestors | null;
  put: (converted: unknown) => void;
}

interface Ancestors {
  schema: object;
  next: Ancestors | null;
}

/**
 * Converts schemas of OpenAPI 3.x and Swagger 2.0 to JSON Schema 2020-12 without references. Breadth first, so that a
 * schema that is too large keeps its upper levels. Cycles end in the empty object schema.
 */
export class SchemaConverter {
  constructor(
    private readonly references: References,
    private readonly onSimplified: (reason: ReportReason) => void,
  ) {}

  convert(source: unknown, pointer: string): unknown {
    let result: unknown = emptySchema();
    const queue: Pending[] = [{ source, pointer, ancestors: null, put: (converted) => (result = converted) }];
    for (const pending of queue) {
      const { schema, children } = this.convertNode(pending);
      // A schema is cut as a whole: its parts alone would mislead. The topmost one always keeps its properties.
      const isTooLarge = queue.length + children.length > MAX_NODES && pending !== queue[0];
      if (isTooLarge)
        pending.put(this.cut(pending, `The schema has more than ${MAX_NODES} parts; this one is simplified`));
      else {
        pending.put(schema);
        queue.push(...children);
      }
    }
    return result;
  }

  private convertNode(pending: Pending): { schema: unknown; children: Pending[] } {
    const { source, pointer, ancestors } = pending;
    const children: Pending[] = [];
    if (typeof source === 'boolean') return { schema: source, children };
    if (!isObject(source)) return { schema: this.cut(pending, 'The schema is not an object'), children };
    const found = this.collectMembers(source, ancestors);
    if (typeof found === 'string') return { schema: this.cut(pending, found), children };
    let inner = ancestors;
    for (const schema of found.seen) inner = { schema, next: inner };
    const schema = writeSchema(mergeSchemas(found.members), (child, path, put) =>
      children.push({ source: child, pointer: `${pointer}${path}`, ancestors: inner, put }),
    );
    return { schema, children };
  }

  /**
   * Collects the schemas that apply together: those that references lead to, and the members of `allOf`. Returns a sentence
   * if that is impossible.
   */
  private collectMembers(
    source: JsonObject,
    ancestors: Ancestors | null,
  ): { members: JsonObject[]; seen: Set<object> } | string {
    const members: JsonObject[] = [];
    const seen = new Set<object>();
    const stack: unknown[] = [source];
    for (let schema = stack.pop(); schema !== undefined; schema = stack.pop()) {
      if (!isObject(schema) || seen.has(schema)) continue;
      if (isAncestor(schema, ancestors)) return 'The schema contains itself; the inner one is simplified';
      if (seen.size >= MAX_MEMBERS) return `The schema combines more than ${MAX_MEMBERS} others`;
      seen.add(schema);
      const { $ref: reference, allOf, ...own } = schema;
      // Keywords beside a reference come first: their descriptions are more specific than those of its target.
      if (Object.keys(own).length > 0) members.push(own);
      // The last one is taken first.
      if (Array.isArray(allOf)) stack.push(...(allOf as unknown[]).slice(0, MAX_MEMBERS).reverse());
      if (typeof reference !== 'string') continue;
      const target = this.references.resolve(reference);
      if (isObject(target)) stack.push(target);
      else if (typeof target !== 'boolean') return `The reference ${shorten(reference)} cannot be resolved`;
    }
    return { members, seen };
  }

  private cut({ source, pointer }: Pending, reason: string): PortSchema {
    this.onSimplified({ pointer, reason });
    const described = isObject(source) ? (this.references.deref(source) ?? source) : {};
    return emptySchema(described);
  }
}

type AddChild = (source: unknown, path: string, put: (converted: unknown) => void) => void;

/** Writes a merged schema in draft 2020-12 and announces its children. */
function writeSchema(source: JsonObject, add: AddChild): JsonObject {
  const target: JsonObject = {};
  writeType(source, target);
  for (const key of PLAIN) {
    if (Object.hasOwn(source, key) && source[key] !== undefined) setOwn(target, key, source[key]);
  }
  writeBounds(source, target);
  writeEnum(source, target);
  const required = getOwn(source, 'required');
  if (Array.isArray(required)) {
    const names = (required as unknown[]).filter((name) => typeof name === 'string');
    if (names.length > 0) target.required = [...new Set(names)];
  }
  if (Array.isArray(source.examples)) target.examples = source.examples;
  else if (Object.hasOwn(source, 'example')) target.examples = [source.example];
  writeChildren(source, target, add);
  return target;
}

function writeChildren(source: JsonObject, target: JsonObject, add: AddChild): void {
  for (const key of CHILD) {
    const child = getOwn(source, key);
    if (child === undefined) continue;
    // A list of items is a tuple up to draft 7.
    if (key === 'items' && Array.isArray(child)) addList(child, 'prefixItems', target, add);
    else add(child, `/${key}`, (converted) => setOwn(target, key, converted));
  }
  for (const key of CHILD_LISTS) {
    const list = getOwn(source, key);
    if (Array.isArray(list) && list.length > 0) addList(list, key, target, add);
  }
  for (const key of CHILD_MAPS) {
    const map = getOwn(source, key);
    if (!isObject(map)) continue;
    const converted: JsonObject = {};
    target[key] = converted;
    for (const [name, child] of Object.entries(map)) {
      // The place in the object is taken now: children are converted later, in another order.
      setOwn(converted, name, true);
      add(child, `/${key}/${pointerSegment(name)}`, (schema) => setOwn(converted, name, schema));
    }
  }
}

function addList(list: unknown[], key: string, target: JsonObject, add: AddChild): void {
  const converted: unknown[] = list.map(() => true);
  target[key] = converted;
  list.forEach((child, i) => add(child, `/${key}/${i}`, (schema) => (converted[i] = schema)));
}

function writeType(source: JsonObject, target: JsonObject): void {
  const declared = getOwn(source, 'type');
  const types = (Array.isArray(declared) ? (declared as unknown[]) : [declared ?? inferType(source)]).filter(
    (type) => typeof type === 'string',
  );
  if (types.includes('file')) {
    target.type = 'string';
    target.format = 'binary';
    return;
  }
  const isNullable = source.nullable === true || source['x-nullable'] === true;
  if (types.length > 0 && isNullable && !types.includes('null')) types.push('null');
  if (types.length > 0) target.type = types.length === 1 ? types[0] : types;
}

/** The type that the other keywords imply, if any. */
function inferType(source: JsonObject): string | undefined {
  const has = (...keys: string[]) => keys.some((key) => Object.hasOwn(source, key));
  if (has('properties', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties'))
    return 'object';
  if (has('items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems')) return 'array';
  if (has('oneOf', 'anyOf', 'not', 'if', 'allOf')) return undefined;
  if (has('pattern', 'minLength', 'maxLength')) return 'string';
  if (has('minimum', 'maximum', 'multipleOf')) return 'number';
  const values = getOwn(source, 'enum');
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const [first] = values as unknown[];
  const type = typeof first;
  const isUniform = (values as unknown[]).every((value) => typeof value === type);
  return isUniform && ['string', 'number', 'boolean'].includes(type) ? type : undefined;
}

/** Up to OpenAPI 3.0, the exclusive bounds are booleans that change the meaning of the others. */
function writeBounds(source: JsonObject, target: JsonObject): void {
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const value = getOwn(source, bound);
    const strict = getOwn(source, exclusive);
    if (typeof strict === 'number') target[exclusive] = strict;
    if (typeof value === 'number') target[strict === true ? exclusive : bound] = value;
  }
}

function writeEnum(source: JsonObject, target: JsonObject): void {
  const values = getOwn(source, 'enum');
  if (!Array.isArray(values)) return;
  const unique = new Map((values as unknown[]).map((value) => [JSON.stringify(value), value]));
  const isNullable = source.nullable === true || source['x-nullable'] === true;
  if (isNullable) unique.set('null', null);
  if (unique.size > 0) target.enum = [...unique.values()];
}

function isAncestor(schema: object, ancestors: Ancestors | null): boolean {
  for (let one = ancestors; one !== null; one = one.next) if (one.schema === schema) return true;
  return false;
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
