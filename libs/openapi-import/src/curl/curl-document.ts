import type { ToolAuth } from '@platform/contracts';
import { isObject, setOwn, type JsonObject } from '../json.ts';
import { parseCurl, readPairs, type CurlBody, type CurlRequest } from './curl-request.ts';

/** Parts of a schema that is made from an example. */
const MAX_PARTS = 1_000;
const MAX_PROPERTIES = 500;
const MAX_DEPTH = 20;
const MAX_EXAMPLE = 500;

export interface CurlDocument {
  /** An OpenAPI document with one operation. */
  text: string;
  /** How the command authenticates, without the secret. */
  auth: ToolAuth | null;
  /** Sentences about what was left out. */
  notes: string[];
}

/** Describes the request of a curl command as a document. Throws an ImportError with a sentence for the user. */
export function convertCurl(command: string): CurlDocument {
  const request = parseCurl(command);
  const notes = [...request.notes];
  const { path, variables } = readPath(request.path);
  const body = request.body && describeBody(request.body, notes);
  const document = {
    openapi: '3.1.0',
    info: { title: new URL(request.server).hostname, version: '' },
    servers: [{ url: request.server }],
    paths: {
      [path]: {
        [request.httpMethod]: {
          parameters: [
            ...variables.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
            ...describeQuery(request),
            // Whoever writes a header by hand needs it.
            ...request.headers.map(([name, value]) => ({
              name,
              in: 'header',
              required: true,
              schema: describeText(value),
            })),
          ],
          ...(body && { requestBody: body }),
          responses: { default: { description: '' } },
        },
      },
    },
  };
  return { text: JSON.stringify(document), auth: request.auth, notes };
}

/** `{id}` and `:id` are variables. */
function readPath(path: string): { path: string; variables: string[] } {
  const template = path
    .replace(/\s/g, '%20')
    .replaceAll('\\', '%5C')
    .replace(/\/:([A-Za-z_]\w*)/g, '/{$1}');
  const variables = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
  return { path: template, variables: [...new Set(variables)] };
}

/** A parameter of which the command has several is a list. */
function describeQuery({ query }: CurlRequest): JsonObject[] {
  return [...groupByName(query)].map(([name, values]) => ({
    name,
    in: 'query',
    schema: describeValues(values),
  }));
}

function describeBody(body: CurlBody, notes: string[]): JsonObject {
  const required = true;
  if (body.kind === 'file') return { required, content: { [body.mediaType]: { schema: {} } } };
  if (body.kind === 'form') {
    const files = new Set(body.fields.filter(({ isFile }) => isFile).map(({ name }) => name));
    const fields = groupByName(body.fields.map(({ name, value }) => [name, value]));
    const schema = describeFields(fields, (name) => files.has(name));
    return { required, content: { 'multipart/form-data': { schema } } };
  }
  const { text, mediaType } = body;
  if (mediaType === 'application/x-www-form-urlencoded') {
    const schema = describeFields(groupByName(readPairs(text)), () => false);
    return { required, content: { [mediaType]: { schema } } };
  }
  if (!/[/+]json$/.test(mediaType)) {
    return { required, content: { [mediaType]: { schema: describeText(text) } } };
  }
  try {
    return { required, content: { [mediaType]: { schema: describeExample(JSON.parse(text)) } } };
  } catch {
    notes.push('The body is not valid JSON, so it accepts anything');
    return { required, content: { [mediaType]: { schema: {} } } };
  }
}

function describeFields(
  fields: ReadonlyMap<string, string[]>,
  isFile: (name: string) => boolean,
): JsonObject {
  const properties: JsonObject = {};
  for (const [name, values] of fields) {
    setOwn(properties, name, isFile(name) ? { type: 'string', format: 'binary' } : describeValues(values));
  }
  return { type: 'object', properties, required: [...fields.keys()] };
}

function describeValues(values: readonly string[]): JsonObject {
  const [first = ''] = values;
  return values.length === 1
    ? describeText(first)
    : { type: 'array', items: { type: typeOfText(first) }, ...withExample(values.map(parseText)) };
}

function describeText(text: string): JsonObject {
  return { type: typeOfText(text), ...withExample(parseText(text)) };
}

function typeOfText(text: string): string {
  const value = parseText(text);
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
}

/** Only texts that a number or a boolean would be written as: not 007 and not 1e3. */
function parseText(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/.test(text) && String(Number(text)) === text
    ? Number(text)
    : text;
}

function withExample(value: unknown): JsonObject {
  return JSON.stringify(value).length > MAX_EXAMPLE || value === '' ? {} : { examples: [value] };
}

/** A schema that accepts values like the example. */
function describeExample(example: unknown): JsonObject {
  let parts = 0;
  const describe = (value: unknown, depth: number): JsonObject => {
    parts += 1;
    // What is beyond the limits, and null, may be anything.
    if (parts > MAX_PARTS || depth > MAX_DEPTH || value === null) return {};
    if (Array.isArray(value)) {
      return { type: 'array', ...(value.length > 0 && { items: describe(value[0], depth + 1) }) };
    }
    if (isObject(value)) {
      const names = Object.keys(value).slice(0, MAX_PROPERTIES);
      const properties: JsonObject = {};
      for (const name of names) setOwn(properties, name, describe(value[name], depth + 1));
      // Only the body itself: nobody can tell which parts of its parts are optional.
      return { type: 'object', properties, ...(depth === 0 && { required: names }) };
    }
    const type = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
    return { type, ...withExample(value) };
  };
  return describe(example, 0);
}

function groupByName(pairs: readonly [name: string, value: string][]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = groups.get(name);
    if (values === undefined) groups.set(name, [value]);
    else values.push(value);
  }
  return groups;
}
