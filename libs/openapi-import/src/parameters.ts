import type { MethodBinding, MethodPortLocation } from '@platform/contracts';
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
}

/** Headers that the body and the authentication of the tool determine. */
const OMITTED_HEADERS = ['accept', 'content-type', 'authorization'];
const LOCATIONS = ['path', 'query', 'header', 'cookie', 'formData'];
/** Fields of a parameter of Swagger 2.0 that are not part of its schema. */
const NOT_SCHEMA = ['name', 'in', 'required', 'collectionFormat', 'allowEmptyValue', 'schema'];

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
  onProblem: (pointer: string, reason: string) => void,
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
      const read = readParameter(parameter, place, kind, references);
      if (read === null) onProblem(place, 'The parameter has no valid name and location and is omitted');
      else if (!isOmitted(read)) byKey.set(keyOf(read), read);
    }
  }
  addTemplateVariables(path, byKey);
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
): Parameter | null {
  const name = getText(parameter, 'name');
  const location = getText(parameter, 'in');
  if (name === '' || !LOCATIONS.includes(location)) return null;
  const common = {
    name,
    in: location as Parameter['in'],
    // The specification requires it, and a URL without the value would be another one.
    required: location === 'path' || parameter.required === true,
    description: getText(parameter, 'description'),
    deprecated: parameter.deprecated === true,
  };
  if (kind === 'swagger2') {
    const schema = Object.fromEntries(Object.entries(parameter).filter(([key]) => !NOT_SCHEMA.includes(key)));
    const collectionFormat = getText(parameter, 'collectionFormat');
    if (getText(parameter, 'type') !== 'array') return { ...common, schema, pointer, binding: {} };
    // Lists are separated by commas unless stated otherwise, in contrast to OpenAPI 3.
    return { ...common, schema, pointer, binding: { collectionFormat: collectionFormat || 'csv' } };
  }
  const content = getOwn(parameter, 'content');
  const [mediaType, media] = isObject(content) ? (Object.entries(content)[0] ?? []) : [];
  if (mediaType !== undefined) {
    const schema = getOwn(references.deref(media), 'schema') ?? {};
    return { ...common, schema, pointer: `${pointer}/content`, binding: { mediaType } };
  }
  return {
    ...common,
    schema: withExample(getOwn(parameter, 'schema') ?? { type: 'string' }, parameter),
    pointer: `${pointer}/schema`,
    binding: serialization(parameter),
  };
}

/** An example of a parameter is one of its schema, unless that has its own. */
function withExample(schema: unknown, parameter: JsonObject): unknown {
  if (!isObject(schema) || !Object.hasOwn(parameter, 'example')) return schema;
  if (Object.hasOwn(schema, '$ref') || Object.hasOwn(schema, 'example')) return schema;
  return { ...schema, example: parameter.example };
}

function serialization({ style, explode, allowReserved }: JsonObject) {
  return {
    ...(typeof style === 'string' && { style }),
    ...(typeof explode === 'boolean' && { explode }),
    ...(allowReserved === true && { allowReserved: true }),
  };
}

function addTemplateVariables(path: string, byKey: Map<string, Parameter>): void {
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    const parameter: Parameter = {
      name,
      in: 'path',
      required: true,
      description: '',
      schema: { type: 'string' },
      deprecated: false,
      pointer: '',
      binding: {},
    };
    if (!byKey.has(keyOf(parameter))) byKey.set(keyOf(parameter), parameter);
  }
}
