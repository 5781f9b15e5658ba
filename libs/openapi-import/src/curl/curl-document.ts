import type { ToolAuth } from '@platform/contracts';
import { describeExample, describeText, describeValues, groupByName, SECRET } from '../describe-example.ts';
import { setOwn, type JsonObject } from '../json.ts';
import { parseCurl, readPairs, type CurlBody, type CurlRequest } from './curl-request.ts';

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
              schema: describeText(value, SECRET.test(name)),
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
    schema: describeValues(values, SECRET.test(name)),
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
    return { required, content: { [mediaType]: { schema: describeExample(JSON.parse(text), SECRET) } } };
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
    const schema = isFile(name)
      ? { type: 'string', format: 'binary' }
      : describeValues(values, SECRET.test(name));
    setOwn(properties, name, schema);
  }
  return { type: 'object', properties, required: [...fields.keys()] };
}
