import { getList, getOwn, getText, isObject, pointerSegment, type JsonObject } from './json.ts';
import type { Parameter, ParameterList } from './parameters.ts';
import type { References } from './references.ts';
import type { DocumentKind } from './types.ts';

/** The body of a request, or of a response. */
export interface Body {
  mediaType: string;
  schema: unknown;
  /** JSON pointer of the schema. */
  pointer: string;
  required: boolean;
  description: string;
  encoding?: Record<string, unknown>;
  /** How fields of a form are written, in Swagger 2.0. */
  bindings?: Map<string, Parameter['binding']>;
}

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** The body of a request; null if there is none. Fields of a form of Swagger 2.0 become one object. */
export function readRequestBody(
  operation: JsonObject,
  root: JsonObject,
  { parameters, body }: ParameterList,
  kind: DocumentKind,
  references: References,
  pointer: string,
): Body | null {
  if (kind === 'openapi3') return readOpenApiBody(operation, references, pointer);
  const consumes = listMediaTypes(operation, root, 'consumes');
  if (body !== null) {
    return {
      mediaType: preferredType(consumes) ?? 'application/json',
      schema: getOwn(body.parameter, 'schema') ?? {},
      pointer: `${body.pointer}/schema`,
      required: body.parameter.required === true,
      description: getText(body.parameter, 'description'),
    };
  }
  const fields = parameters.filter((parameter) => parameter.in === 'formData');
  return fields.length === 0 ? null : readForm(fields, consumes, `${pointer}/parameters`);
}

function readOpenApiBody(operation: JsonObject, references: References, pointer: string): Body | null {
  const body = references.deref(getOwn(operation, 'requestBody'));
  const content = getOwn(body, 'content');
  if (body === undefined || !isObject(content)) return null;
  const mediaType = preferredType(Object.keys(content));
  if (mediaType === undefined) return null;
  const media = references.deref(content[mediaType]);
  const encoding = getOwn(media, 'encoding');
  return {
    mediaType,
    schema: getOwn(media, 'schema') ?? {},
    pointer: `${pointer}/requestBody/content/${pointerSegment(mediaType)}/schema`,
    required: body.required === true,
    description: getText(body, 'description'),
    ...(isObject(encoding) && { encoding }),
  };
}

function readForm(fields: Parameter[], consumes: string[], pointer: string): Body {
  const hasFile = fields.some(({ schema }) => getText(schema, 'type') === 'file');
  const declared = consumes.find((type) => type === MULTIPART || type === FORM);
  return {
    mediaType: hasFile ? MULTIPART : (declared ?? FORM),
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.filter(({ required }) => required).map(({ name }) => name),
    },
    pointer,
    required: fields.some(({ required }) => required),
    description: '',
    bindings: new Map(fields.map(({ name, binding }) => [name, binding])),
  };
}

/**
 * The schema of a successful response: the lowest 2xx status that has one, then 2XX, then default. Null if there is none.
 */
export function readResponseBody(
  operation: JsonObject,
  root: JsonObject,
  kind: DocumentKind,
  references: References,
  pointer: string,
): Body | null {
  const responses = getOwn(operation, 'responses');
  if (!isObject(responses)) return null;
  const statuses = Object.keys(responses)
    .filter((status) => /^2\d\d$/.test(status))
    .sort();
  for (const status of [...statuses, '2XX', '2xx', 'default']) {
    if (!Object.hasOwn(responses, status)) continue;
    const response = references.deref(responses[status]);
    const place = `${pointer}/responses/${pointerSegment(status)}`;
    const body =
      kind === 'openapi3'
        ? readOpenApiResponse(response, references, place)
        : readSwaggerResponse(response, listMediaTypes(operation, root, 'produces'), place);
    if (body !== null) return body;
  }
  return null;
}

function readOpenApiResponse(
  response: JsonObject | undefined,
  references: References,
  pointer: string,
): Body | null {
  const content = getOwn(response, 'content');
  if (!isObject(content)) return null;
  const mediaType = preferredType(Object.keys(content));
  if (mediaType === undefined) return null;
  const media = references.deref(content[mediaType]);
  // OpenAPI 3.2 describes the items of a stream instead of the whole.
  const item = getOwn(media, 'itemSchema');
  const schema = getOwn(media, 'schema') ?? (item === undefined ? undefined : { type: 'array', items: item });
  if (schema === undefined) return null;
  const place = `${pointer}/content/${pointerSegment(mediaType)}/schema`;
  return { mediaType, schema, pointer: place, required: true, description: getText(response, 'description') };
}

function readSwaggerResponse(
  response: JsonObject | undefined,
  produces: string[],
  pointer: string,
): Body | null {
  const schema = getOwn(response, 'schema');
  if (schema === undefined) return null;
  const mediaType = preferredType(produces) ?? 'application/json';
  return {
    mediaType,
    schema,
    pointer: `${pointer}/schema`,
    required: true,
    description: getText(response, 'description'),
  };
}

/** JSON, then a JSON-based type, then a form, otherwise the first one. */
function preferredType(types: readonly string[]): string | undefined {
  const find = (matches: (type: string) => boolean) => types.find((type) => matches(bareType(type)));
  return (
    find((type) => type === 'application/json') ??
    find((type) => type.endsWith('+json')) ??
    find((type) => type === FORM) ??
    find((type) => type === MULTIPART) ??
    types[0]
  );
}

/** Without parameters such as `charset`. */
function bareType(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

function listMediaTypes(operation: JsonObject, root: JsonObject, key: string): string[] {
  const holder = Array.isArray(operation[key]) ? operation : root;
  return getList(holder, key).filter((type) => typeof type === 'string');
}
