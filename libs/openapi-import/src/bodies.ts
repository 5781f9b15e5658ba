import { getList, getOwn, getText, isObject, pointerSegment, type JsonObject } from './json.ts';
import { listExamples, MAX_NAME, type OnProblem, type Parameter, type ParameterList } from './parameters.ts';
import type { References } from './references.ts';
import type { DocumentKind } from './types.ts';

/** The body of a request, or of a response. */
export interface Body {
  mediaType: string;
  /** The media types among which the person can choose. */
  mediaTypes: string[];
  schema: unknown;
  /** JSON pointer of the schema. */
  pointer: string;
  required: boolean;
  description: string;
  examples: unknown[];
  encoding?: Record<string, unknown>;
  /** How fields of a form are written, in Swagger 2.0. */
  bindings?: Map<string, Parameter['binding']>;
}

/** Where bodies are read from. */
export interface BodySource {
  operation: JsonObject;
  root: JsonObject;
  kind: DocumentKind;
  references: References;
  /** Of the operation. */
  pointer: string;
  onProblem: OnProblem;
}

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const MAX_TYPES = 20;

/**
 * The body of a request; null if there is none. `wanted`: the media type that was chosen. Fields of a form of Swagger 2.0
 * become one object.
 */
export function readRequestBody(
  source: BodySource,
  { parameters, body }: ParameterList,
  wanted?: string,
): Body | null {
  if (source.kind === 'openapi3') return readOpenApiBody(source, wanted);
  const consumes = listMediaTypes(source, 'consumes');
  const fields = parameters.filter((parameter) => parameter.in === 'formData');
  if (body !== null) {
    if (fields.length > 0)
      source.onProblem(body.pointer, 'The operation has a body as well as a form, which is omitted');
    const types = consumes.length > 0 ? consumes : ['application/json'];
    return {
      mediaType: chooseType(types, wanted),
      mediaTypes: types,
      schema: getOwn(body.parameter, 'schema') ?? {},
      pointer: `${body.pointer}/schema`,
      required: body.parameter.required === true,
      description: getText(body.parameter, 'description'),
      examples: [],
    };
  }
  return fields.length === 0 ? null : readForm(fields, consumes, `${source.pointer}/parameters`, wanted);
}

function readOpenApiBody(
  { operation, references, pointer, onProblem }: BodySource,
  wanted: string | undefined,
): Body | null {
  const declared = getOwn(operation, 'requestBody');
  if (declared === undefined || declared === null) return null;
  const body = references.deref(declared);
  const content = getOwn(body, 'content');
  const types = isObject(content) ? Object.keys(content).filter(isUsable) : [];
  if (body === undefined || !isObject(content) || types.length === 0) {
    const problem = body === undefined ? 'The body cannot be resolved' : 'The body has no media type';
    onProblem(`${pointer}/requestBody`, `${problem}, so it is omitted`);
    return null;
  }
  const mediaType = chooseType(types, wanted);
  const place = `${pointer}/requestBody/content/${pointerSegment(mediaType)}`;
  const media = references.deref(content[mediaType]);
  if (media === undefined)
    onProblem(place, 'The content of the body cannot be resolved, so it accepts anything');
  const encoding = getOwn(media, 'encoding');
  return {
    mediaType,
    mediaTypes: types.slice(0, MAX_TYPES),
    schema: readSchema(media, place, onProblem) ?? {},
    pointer: `${place}/schema`,
    required: body.required === true,
    description: getText(body, 'description'),
    examples: listExamples(media, references),
    ...(isObject(encoding) && { encoding }),
  };
}

function readForm(
  fields: Parameter[],
  consumes: string[],
  pointer: string,
  wanted: string | undefined,
): Body {
  const hasFile = fields.some(({ schema }) => getText(schema, 'type') === 'file');
  const types = consumes.filter((type) => type === MULTIPART || (type === FORM && !hasFile));
  if (types.length === 0) types.push(hasFile ? MULTIPART : FORM);
  const fallback = types.includes(FORM) ? FORM : MULTIPART;
  return {
    mediaType: wanted !== undefined && types.includes(wanted) ? wanted : (types[0] ?? fallback),
    mediaTypes: types,
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.filter(({ required }) => required).map(({ name }) => name),
    },
    pointer,
    required: fields.some(({ required }) => required),
    description: '',
    examples: [],
    bindings: new Map(fields.map(({ name, binding }) => [name, binding])),
  };
}

/**
 * The schema of a successful response: the lowest 2xx status that has one, then 2XX, then default. Null if there is none.
 */
export function readResponseBody(source: BodySource): Body | null {
  const { operation, references, pointer, onProblem } = source;
  const responses = getOwn(operation, 'responses');
  if (!isObject(responses)) {
    onProblem(pointer, 'The operation declares no responses, so the output is unknown');
    return null;
  }
  const statuses = Object.keys(responses)
    .filter((status) => /^2\d\d$/.test(status))
    .sort();
  for (const status of [...statuses, '2XX', '2xx', 'default']) {
    if (!Object.hasOwn(responses, status)) continue;
    const response = references.deref(responses[status]);
    const place = `${pointer}/responses/${pointerSegment(status)}`;
    if (response === undefined) onProblem(place, 'The response cannot be resolved, so it is left out');
    const body = readResponse(source, response, place);
    if (body !== null) return body;
  }
  return null;
}

function readResponse(
  { root, operation, kind, references, onProblem }: BodySource,
  response: JsonObject | undefined,
  pointer: string,
): Body | null {
  const common = { required: true, description: '', examples: [] };
  if (kind === 'swagger2') {
    const schema = getOwn(response, 'schema');
    const types = listMediaTypes({ operation, root }, 'produces');
    const mediaType = preferredType(types) ?? 'application/json';
    return schema === undefined
      ? null
      : { ...common, mediaType, mediaTypes: types, schema, pointer: `${pointer}/schema` };
  }
  const content = getOwn(response, 'content');
  if (!isObject(content)) return null;
  const types = Object.keys(content);
  const mediaType = preferredType(types);
  if (mediaType === undefined) return null;
  const place = `${pointer}/content/${pointerSegment(mediaType)}`;
  const media = references.deref(content[mediaType]);
  if (media === undefined)
    onProblem(place, 'The content of the response cannot be resolved, so it is left out');
  const schema = readSchema(media, place, onProblem);
  return schema === undefined
    ? null
    : { ...common, mediaType, mediaTypes: types, schema, pointer: `${place}/schema` };
}

/** OpenAPI 3.2 describes the items of a stream instead of the whole. */
function readSchema(media: JsonObject | undefined, pointer: string, onProblem: OnProblem): unknown {
  const schema = getOwn(media, 'schema');
  const item = getOwn(media, 'itemSchema');
  if (schema !== undefined || item === undefined) return schema;
  onProblem(`${pointer}/itemSchema`, 'A stream of items is described as a list of them');
  return { type: 'array', items: item };
}

function chooseType(types: readonly string[], wanted: string | undefined): string {
  if (wanted !== undefined && types.includes(wanted)) return wanted;
  return preferredType(types) ?? 'application/json';
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

/** Whether a body of the type can be built from an object. Other bodies are texts, or files. */
export function isStructured(mediaType: string): boolean {
  const type = bareType(mediaType);
  return /^(?:[a-z]+\/json|[^\s]+\+json|\*\/\*)$/.test(type) || type === FORM || type === MULTIPART;
}

/** Without parameters such as `charset`. */
function bareType(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

const isUsable = (type: string) => type.trim() !== '' && type.length <= MAX_NAME;

function listMediaTypes({ operation, root }: Pick<BodySource, 'operation' | 'root'>, key: string): string[] {
  const holder = Array.isArray(operation[key]) ? operation : root;
  return getList(holder, key)
    .filter((type) => typeof type === 'string')
    .filter(isUsable);
}
