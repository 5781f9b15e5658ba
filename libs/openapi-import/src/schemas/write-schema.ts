import { getOwn, isObject, pointerSegment, setOwn, type JsonObject } from '../json.ts';

type KeywordKind = 'text' | 'count' | 'number' | 'flag' | 'value' | 'child' | 'list' | 'map' | 'names';

const kindOf = (kind: KeywordKind, keywords: string[]) =>
  keywords.map((keyword): [string, KeywordKind] => [keyword, kind]);

/** Keywords that mean the same in draft 2020-12, by what their values are. */
export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map([
  ...kindOf('text', ['title', 'description', 'format', 'pattern', 'contentEncoding', 'contentMediaType']),
  ...kindOf('count', [
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'minContains',
    'maxContains',
  ]),
  ...kindOf('number', ['multipleOf']),
  ...kindOf('flag', ['uniqueItems', 'readOnly', 'writeOnly', 'deprecated']),
  ...kindOf('value', ['const', 'default', 'discriminator']),
  ...kindOf('names', ['dependentRequired', 'dependencies']),
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

/** Whether the value of a keyword is a schema, or holds some. */
export function holdsSchemas(keyword: string): boolean {
  const kind = KEYWORDS.get(keyword);
  return kind === 'child' || kind === 'list' || kind === 'map';
}

/** Bounds, and what excludes the bound itself. */
export const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
/** Levels of values such as defaults. The service stores schemas of at most 64 levels. */
const MAX_VALUE_DEPTH = 15;

/** What a schema is written with. */
export interface SchemaWriter {
  /** Announces a schema inside of another one, with the keyword and its pointer there. */
  addChild: (source: unknown, keyword: string, path: string, put: (converted: unknown) => void) => void;
  /** Says in a sentence that a rule of the schema is lost. */
  onLost: (reason: string) => void;
}

/** Writes a merged schema in draft 2020-12 and announces its children. */
export function writeSchema(merged: JsonObject, writer: SchemaWriter): JsonObject {
  const source = withNullChoice(merged);
  const target: JsonObject = {};
  writeType(source, target, writer);
  for (const key in source) {
    const kind = KEYWORDS.get(key);
    if (kind === undefined) continue;
    const value = source[key];
    if (value !== undefined) writeKeyword(key, kind, value, target, writer);
  }
  // A tuple of a draft up to 7 has the schema of its further items elsewhere.
  if (Array.isArray(source.items) && source.additionalItems !== undefined)
    writeChild('items', source.additionalItems, target, writer);
  writeBounds(source, target, writer);
  writeEnum(source, target, writer);
  const names = namesOf(getOwn(source, 'required'));
  if (names.length > 0) target.required = names;
  const examples = Array.isArray(source.examples)
    ? (source.examples as unknown[])
    : Object.hasOwn(source, 'example')
      ? [source.example]
      : [];
  const kept = withoutDeep(examples);
  if (kept.length > 0) target.examples = kept;
  return target;
}

/** Generators write `nullable` beside choices without a type, for null as one more of them. */
function withNullChoice(source: JsonObject): JsonObject {
  if (!isNullable(source) || source.type !== undefined) return source;
  const [key, ...more] = ['anyOf', 'oneOf'].filter((name) => Array.isArray(source[name]));
  if (key === undefined || more.length > 0) return source;
  const { [key]: choices, ...others } = source;
  return { ...others, anyOf: [{ [key]: choices }, { type: 'null' }] };
}

function writeKeyword(
  key: string,
  kind: KeywordKind,
  value: unknown,
  target: JsonObject,
  writer: SchemaWriter,
): void {
  switch (kind) {
    case 'text':
      if (typeof value === 'string') target[key] = value;
      else if (key === 'pattern') writer.onLost(invalid(key));
      break;
    case 'count':
    case 'number': {
      const number = readNumber(value);
      const isValid = kind === 'count' ? Number.isInteger(number) && Number(number) >= 0 : Number(number) > 0;
      if (number !== undefined && isValid) target[key] = number;
      else writer.onLost(invalid(key));
      break;
    }
    case 'flag':
      if (typeof value === 'boolean') target[key] = value;
      break;
    case 'value':
      if (!isDeep(value, MAX_VALUE_DEPTH)) target[key] = value;
      else if (key === 'const') writer.onLost(invalid(key));
      break;
    case 'names':
      if (isObject(value)) writeDependencies(value, target, writer);
      break;
    case 'child':
      writeChild(key, value, target, writer);
      break;
    case 'list':
      if (Array.isArray(value) && value.length > 0) addList(value, key, target, writer);
      break;
    case 'map':
      if (isObject(value)) writeMap(key, value, target, writer);
  }
}

const invalid = (key: string) => `The value of ${key} is not valid, so the keyword is left out`;

/** `dependencies` of a draft up to 7 has both lists of names and schemas. */
function writeDependencies(dependencies: JsonObject, target: JsonObject, writer: SchemaWriter): void {
  const required: JsonObject = isObject(target.dependentRequired) ? target.dependentRequired : {};
  const schemas: JsonObject = {};
  for (const [name, dependency] of Object.entries(dependencies)) {
    if (Array.isArray(dependency)) setOwn(required, name, namesOf(dependency));
    else setOwn(schemas, name, dependency);
  }
  if (Object.keys(required).length > 0) target.dependentRequired = required;
  if (Object.keys(schemas).length > 0) writeMap('dependentSchemas', schemas, target, writer);
}

function writeChild(key: string, child: unknown, target: JsonObject, writer: SchemaWriter): void {
  // A list of items is a tuple up to draft 7.
  if (key === 'items' && Array.isArray(child)) addList(child, 'prefixItems', target, writer);
  else writer.addChild(child, key, `/${key}`, (converted) => (target[key] = converted));
}

function writeMap(key: string, map: JsonObject, target: JsonObject, writer: SchemaWriter): void {
  const converted: JsonObject = {};
  target[key] = converted;
  for (const [name, child] of Object.entries(map)) {
    // The place in the object is taken now: children are converted later, in another order.
    setOwn(converted, name, true);
    writer.addChild(child, key, `/${key}/${pointerSegment(name)}`, (schema) => {
      if (schema === undefined) Reflect.deleteProperty(converted, name);
      else setOwn(converted, name, schema);
    });
  }
}

function addList(list: unknown[], key: string, target: JsonObject, writer: SchemaWriter): void {
  const converted: unknown[] = list.map(() => true);
  target[key] = converted;
  list.forEach((child, i) =>
    writer.addChild(child, key, `/${key}/${i}`, (schema) => (converted[i] = schema)),
  );
}

function writeType(source: JsonObject, target: JsonObject, { onLost }: SchemaWriter): void {
  const declared = source.type;
  if (typeof declared === 'string' && TYPES.includes(declared) && !isNullable(source)) {
    target.type = declared;
    return;
  }
  const named = (Array.isArray(declared) ? (declared as unknown[]) : [declared]).filter(
    (type) => type !== undefined,
  );
  if (named.includes('file')) {
    target.type = 'string';
    target.format = 'binary';
    return;
  }
  const types = listTypes(source);
  for (const type of named) {
    if (!TYPES.includes(type as string))
      onLost(`The type ${JSON.stringify(type).slice(0, 50)} does not exist, so it is left out`);
  }
  if (types.length === 0) {
    const inferred = inferType(source);
    if (inferred !== undefined) types.push(inferred, ...(isNullable(source) ? ['null'] : []));
  }
  if (types.length > 0) target.type = types.length === 1 ? types[0] : types;
}

const isNullable = (source: JsonObject) => source.nullable === true || source['x-nullable'] === true;

/** The declared types; none if one of them does not exist. */
export function listTypes(source: JsonObject): string[] {
  const declared = getOwn(source, 'type');
  const types = (Array.isArray(declared) ? (declared as unknown[]) : [declared]).filter(
    (type) => typeof type === 'string',
  );
  if (types.length === 0 || types.some((type) => !TYPES.includes(type))) return [];
  if (isNullable(source)) types.push('null');
  return [...new Set(types)];
}

/** The type that the other keywords imply, if any. */
export function inferType(source: JsonObject): string | undefined {
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
function writeBounds(source: JsonObject, target: JsonObject, { onLost }: SchemaWriter): void {
  for (const [bound, exclusive] of BOUNDS) {
    const value = readNumber(getOwn(source, bound));
    const strict = getOwn(source, exclusive);
    const other = readNumber(strict);
    if (other !== undefined) target[exclusive] = other;
    if (value !== undefined) target[strict === true ? exclusive : bound] = value;
    else if (Object.hasOwn(source, bound)) onLost(`The value of ${bound} is not a number, so it is left out`);
  }
}

/** Numbers that a JavaScript number cannot hold are texts here. */
function readNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && /^-?\d{1,40}$/.test(value)) return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function writeEnum(source: JsonObject, target: JsonObject, { onLost }: SchemaWriter): void {
  const values = getOwn(source, 'enum');
  if (!Array.isArray(values)) return;
  if (isDeep(values, MAX_VALUE_DEPTH)) {
    onLost('The values of enum are nested too deep, so it is left out');
    return;
  }
  const unique = new Map((values as unknown[]).map((value) => [JSON.stringify(value), value]));
  if (isNullable(source)) unique.set('null', null);
  if (unique.size > 0) target.enum = [...unique.values()];
  else onLost('The enum allows no value, so it is left out');
}

function namesOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return [...new Set((value as unknown[]).filter((name) => typeof name === 'string'))];
}

/** The examples that the service can store. */
export const withoutDeep = (examples: readonly unknown[]): unknown[] =>
  examples.filter((example) => !isDeep(example, MAX_VALUE_DEPTH));

/** Whether a value has more levels. Looks no deeper than that. */
function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((child) => isDeep(child, levels - 1));
}
