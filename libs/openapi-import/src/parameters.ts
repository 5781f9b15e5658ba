import { isManagedHeader, type MethodBinding, type MethodPortLocation } from '@platform/contracts';
import { getOwn, getText, isObject, type JsonObject } from './json.ts';
import type { References } from './references.ts';
import type { DocumentKind } from './types.ts';

/** A parameter, or a field of a form of Swagger 2.0. */
export interface Parameter {
  name: string;
  in: MethodPortLocation | 'formData';
  required: boolean;
  description: string;
  schema: unknown;
  deprecated: boolean;
  /** JSON pointer of the schema, as far as it is known. */
  pointer: string;
  binding: Omit<MethodBinding, 'port' | 'in' | 'name'>;
  examples: unknown[];
}

/** Headers that the body and the authentication of the tool determine. */
const OMITTED_HEADERS = ['accept', 'content-type', 'authorization'];
const MAX_EXAMPLES = 20;
const LOCATIONS: Record<DocumentKind, readonly string[]> = {
  openapi3: ['path', 'query', 'header', 'cookie'],
  swagger2: ['path', 'query', 'header', 'cookie', 'formData'],
};
const STYLES = [
  'form',
  'simple',
  'deepObject',
  'label',
  'matrix',
  'spaceDelimited',
  'pipeDelimited',
  'cookie',
];
const COLLECTION_FORMATS = ['csv', 'ssv', 'tsv', 'pipes', 'multi'];
/** The most ports of one method, and characters of a name. */
export const MAX_PORTS = 1_000;
export const MAX_NAME = 200;
/** Fields of a parameter of Swagger 2.0 that are not part of its schema. */
const NOT_SCHEMA = ['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue', 'schema'];

export type OnProblem = (pointer: string, reason: string) => void;

/** What the parameters of an operation say: its parameters, and for Swagger 2.0 its body. */
export interface ParameterList {
  parameters: Parameter[];
  /** A body parameter of Swagger 2.0, with its pointer. */
  body: { parameter: JsonObject; pointer: string } | null;
}

/**
 * Merges the parameters of a path and of its operation, which wins. Adds variables of the path template that no parameter
 * declares.
 */
export function readParameters(
  path: string,
  lists: readonly { list: unknown; pointer: string }[],
  kind: DocumentKind,
  references: References,
  onProblem: OnProblem,
): ParameterList {
  const byKey = new Map<string, Parameter>();
  let body: ParameterList['body'] = null;
  for (const { list, pointer } of lists) {
    if (!Array.isArray(list)) continue;
    for (const [i, item] of (list as unknown[]).entries()) {
      const place = `${pointer}/${i}`;
      const parameter = references.deref(item);
      if (parameter === undefined) {
        onProblem(place, 'The parameter cannot be resolved and is omitted');
        continue;
      }
      if (kind === 'swagger2' && parameter.in === 'body') {
        body = { parameter, pointer: place };
        continue;
      }
      const read = readParameter(parameter, place, kind, references, onProblem);
      if (read === null) onProblem(place, 'The parameter has no valid name and location and is omitted');
      else if (read.name.length > MAX_NAME)
        onProblem(place, `The name of the parameter has more than ${MAX_NAME} characters, so it is omitted`);
      else if (isOmitted(read)) continue;
      else if (read.in === 'header' && isManagedHeader(read.name))
        onProblem(place, `The platform sets the header ${read.name}, so the parameter is omitted`);
      else byKey.set(keyOf(read), read);
    }
  }
  completePath(path, byKey, onProblem);
  return { parameters: [...byKey.values()], body };
}

function isOmitted({ in: location, name }: Parameter): boolean {
  return location === 'header' && OMITTED_HEADERS.includes(name.toLowerCase());
}

/** Header names are case-insensitive. */
function keyOf({ in: location, name }: Parameter): string {
  return `${location} ${location === 'header' ? name.toLowerCase() : name}`;
}

function readParameter(
  parameter: JsonObject,
  pointer: string,
  kind: DocumentKind,
  references: References,
  onProblem: OnProblem,
): Parameter | null {
  const name = getText(parameter, 'name');
  const location = getText(parameter, 'in');
  if (name === '' || !LOCATIONS[kind].includes(location)) return null;
  const common = {
    name,
    in: location as Parameter['in'],
    // The specification requires it, and a URL without the value would be another one.
    required: location === 'path' || parameter.required === true,
    description: getText(parameter, 'description'),
    deprecated: parameter.deprecated === true,
    examples: listExamples(parameter, references),
  };
  if (kind === 'swagger2') return { ...common, ...readSwaggerParameter(parameter, pointer, onProblem) };
  const content = getOwn(parameter, 'content');
  const [mediaType, media] = isObject(content) ? (Object.entries(content)[0] ?? []) : [];
  if (mediaType !== undefined) {
    const described = references.deref(media);
    if (described === undefined || mediaType.length > MAX_NAME)
      onProblem(
        `${pointer}/content`,
        'The content of the parameter cannot be resolved, so it accepts anything',
      );
    const examples = [...common.examples, ...listExamples(described, references)];
    const schema = getOwn(described, 'schema') ?? {};
    const binding = mediaType.length > MAX_NAME ? {} : { mediaType };
    return { ...common, examples, schema, pointer: `${pointer}/content`, binding };
  }
  return {
    ...common,
    schema: getOwn(parameter, 'schema') ?? { type: 'string' },
    pointer: `${pointer}/schema`,
    binding: serialization(parameter, pointer, onProblem),
  };
}

function readSwaggerParameter(parameter: JsonObject, pointer: string, onProblem: OnProblem) {
  const schema = Object.fromEntries(Object.entries(parameter).filter(([key]) => !NOT_SCHEMA.includes(key)));
  if (getText(parameter, 'type') !== 'array') return { schema, pointer, binding: {} };
  const collectionFormat = getText(parameter, 'collectionFormat');
  const isKnown = COLLECTION_FORMATS.includes(collectionFormat);
  if (collectionFormat !== '' && !isKnown)
    onProblem(
      pointer,
      `The collectionFormat ${collectionFormat.slice(0, 50)} does not exist, so csv is used`,
    );
  // Lists are separated by commas unless stated otherwise, in contrast to OpenAPI 3.
  return { schema, pointer, binding: { collectionFormat: isKnown ? collectionFormat : 'csv' } };
}

/** The examples of a parameter or a body, whether there is one or several by their names. */
export function listExamples(holder: unknown, references: References): unknown[] {
  const named = getOwn(holder, 'examples');
  const examples = isObject(holder) && Object.hasOwn(holder, 'example') ? [holder.example] : [];
  if (!isObject(named)) return examples;
  for (const one of Object.values(named).slice(0, MAX_EXAMPLES)) {
    const example = references.deref(one);
    const key = ['value', 'dataValue'].find((name) => isObject(example) && Object.hasOwn(example, name));
    if (example !== undefined && key !== undefined) examples.push(example[key]);
  }
  return examples;
}

function serialization({ style, explode, allowReserved }: JsonObject, pointer: string, onProblem: OnProblem) {
  const isKnown = typeof style === 'string' && STYLES.includes(style);
  if (style !== undefined && !isKnown)
    onProblem(
      pointer,
      `The style ${JSON.stringify(style).slice(0, 50)} does not exist, so the default is used`,
    );
  return {
    ...(isKnown && { style }),
    ...(typeof explode === 'boolean' && { explode }),
    ...(allowReserved === true && { allowReserved: true }),
  };
}

/** Adds the variables of the path that no parameter declares. A parameter that the path lacks would be asked for, and sent nowhere. */
function completePath(path: string, byKey: Map<string, Parameter>, onProblem: OnProblem): void {
  // No request has what follows a #.
  const [sent = ''] = path.split('#');
  const names = new Set([...sent.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name));
  for (const [key, { in: location, name, pointer }] of byKey) {
    if (location !== 'path' || names.has(name)) continue;
    byKey.delete(key);
    onProblem(pointer, `The path has no variable ${name.slice(0, 100)}, so the parameter is omitted`);
  }
  for (const name of names) {
    const parameter: Parameter = {
      name,
      in: 'path',
      required: true,
      description: '',
      schema: { type: 'string' },
      deprecated: false,
      pointer: '',
      binding: {},
      examples: [],
    };
    if (!byKey.has(keyOf(parameter))) byKey.set(keyOf(parameter), parameter);
  }
}
