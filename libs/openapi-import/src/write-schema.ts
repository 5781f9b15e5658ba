import { getOwn, isObject, pointerSegment, setOwn, type JsonObject } from './json.ts';

type KeywordKind = 'plain' | 'child' | 'list' | 'map';

const kindOf = (kind: KeywordKind, keywords: string[]) =>
  keywords.map((keyword): [string, KeywordKind] => [keyword, kind]);

/** Keywords that mean the same in draft 2020-12, by what their values are. */
const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map([
  ...kindOf('plain', [
    'title',
    'description',
    'format',
    'const',
    'default',
    'pattern',
    'minLength',
    'maxLength',
    'multipleOf',
    'minItems',
    'maxItems',
    'uniqueItems',
    'minProperties',
    'maxProperties',
    'minContains',
    'maxContains',
    'readOnly',
    'writeOnly',
    'deprecated',
    'contentEncoding',
    'contentMediaType',
    'dependentRequired',
    'discriminator',
  ]),
  ...kindOf('child', [
    'items',
    'contains',
    'not',
    'if',
    'then',
    'else',
    'additionalProperties',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
    'contentSchema',
  ]),
  ...kindOf('list', ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...kindOf('map', ['properties', 'patternProperties', 'dependentSchemas']),
]);

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** Announces a schema inside of another one, with its pointer there. */
type AddChild = (source: unknown, path: string, put: (converted: unknown) => void) => void;

/** Writes a merged schema in draft 2020-12 and announces its children. */
export function writeSchema(source: JsonObject, add: AddChild): JsonObject {
  const target: JsonObject = {};
  writeType(source, target);
  for (const key in source) {
    const kind = KEYWORDS.get(key);
    if (kind === undefined) continue;
    const value = source[key];
    if (value === undefined) continue;
    if (kind === 'plain') target[key] = value;
    else if (kind === 'child') writeChild(key, value, target, add);
    else if (kind === 'list' && Array.isArray(value) && value.length > 0) addList(value, key, target, add);
    else if (kind === 'map' && isObject(value)) writeMap(key, value, target, add);
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
  return target;
}

function writeChild(key: string, child: unknown, target: JsonObject, add: AddChild): void {
  // A list of items is a tuple up to draft 7.
  if (key === 'items' && Array.isArray(child)) addList(child, 'prefixItems', target, add);
  else add(child, `/${key}`, (converted) => (target[key] = converted));
}

function writeMap(key: string, map: JsonObject, target: JsonObject, add: AddChild): void {
  const converted: JsonObject = {};
  target[key] = converted;
  for (const [name, child] of Object.entries(map)) {
    // The place in the object is taken now: children are converted later, in another order.
    setOwn(converted, name, true);
    add(child, `/${key}/${pointerSegment(name)}`, (schema) => setOwn(converted, name, schema));
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
  for (const [bound, exclusive] of BOUNDS) {
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
