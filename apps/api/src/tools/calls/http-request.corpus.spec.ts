import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importDocument, type ImportedMethod } from '@platform/openapi-import';
import { isObject } from '../../infra/runtime/json.ts';
import { readFiles } from './http-request-files.ts';
import { buildRequest } from './http-request.ts';

interface Peer {
  buildRequest(options: { spec: unknown; operationId: string; parameters: Record<string, unknown> }): {
    url: string;
  };
}
const peer = createRequire(import.meta.url)('swagger-client/lib/execute/index.js') as Peer;

/** Real documents of other parties. They are not part of the repository. */
const folder =
  process.env.OPENAPI_CORPUS ??
  join(dirname(fileURLToPath(import.meta.url)), '../../../../../shared/openapi-corpus');
const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^(?!neg-).*\.json$/.test(name)) : [];
if (files.length === 0)
  console.warn('Requests for the documents of the corpus are not tested: set OPENAPI_CORPUS to their folder');
const describeCorpus = files.length === 0 ? describe.skip : describe;

const MAX_METHODS = 60;
const SERVER = 'https://api.example.com/v1';
const NO_AUTH = { headers: [], query: [], cookies: [], secrets: [] };

/** A value that needs encoding, of the type that a schema has. */
function sampleOf(schema: unknown): unknown {
  if (!isObject(schema)) return 'x y/z';
  if (Array.isArray(schema.enum)) return schema.enum[0] as unknown;
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [sampleOf(schema.items), 'b,c'];
  if (type === 'object') return { a: 1, 'b c': 'd&e' };
  return schema.format === 'binary' ? 'aGk=' : 'x y/z';
}

/** The address that the peer builds from the parameters of the document. */
function theirUrl(document: Record<string, unknown>, method: ImportedMethod, input: Record<string, unknown>) {
  const resolve = (value: unknown): unknown => {
    if (!isObject(value) || typeof value.$ref !== 'string') return value;
    const keys = value.$ref.slice(2).split('/');
    const target = keys.reduce<unknown>((at, key) => {
      const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
      return isObject(at) ? at[name] : undefined;
    }, document);
    return resolve(target);
  };
  const listOf = (holder: unknown): unknown[] =>
    isObject(holder) && Array.isArray(holder.parameters) ? holder.parameters : [];
  const item = isObject(document.paths) ? document.paths[method.path] : undefined;
  const operation = isObject(item) ? item[method.httpMethod] : undefined;
  const parameters = [...listOf(item), ...listOf(operation)]
    .map(resolve)
    .filter((one) => isObject(one))
    .filter((one) => one.in === 'path' || one.in === 'query')
    .map((one) => ({ ...one, ...(isObject(one.schema) && { schema: resolve(one.schema) }) }));
  const head =
    document.swagger === undefined
      ? { openapi: '3.0.4', servers: [{ url: SERVER }] }
      : { swagger: '2.0', host: 'api.example.com', basePath: '/v1', schemes: ['https'] };
  const paths = { [method.path]: { [method.httpMethod]: { operationId: 'it', parameters, responses: {} } } };
  const bound = method.bindings.filter((one) => one.in === 'path' || one.in === 'query');
  const values = Object.fromEntries(
    bound.map(({ in: place, name = '', port }) => [`${place}.${name}`, input[port]]),
  );
  const spec = { ...head, paths };
  return sorted(new URL(peer.buildRequest({ spec, operationId: 'it', parameters: values }).url));
}

/** The order of query parameters is that of their declaration, which clients may change. */
function sorted(url: URL): string {
  const query = url.search.slice(1).split('&').sort().join('&');
  return `${url.pathname}?${query}`;
}

describeCorpus('requests for real documents', () => {
  it('go where an independent client sends them', async () => {
    let operations = 0;
    const differences: string[] = [];
    for (const file of files) {
      const text = readFileSync(join(folder, file), 'utf8');
      const { methods } = await importDocument({ text, fileName: file });
      for (const imported of methods.slice(0, MAX_METHODS)) {
        const ports = isObject(imported.inputSchema.properties) ? imported.inputSchema.properties : {};
        // Headers can be restricted in ways that samples do not meet.
        const bound = imported.bindings.filter((binding) => binding.in !== 'header');
        const input = Object.fromEntries(bound.map(({ port }) => [port, sampleOf(ports[port])]));
        const method = { encoding: null, ...imported, serverUrl: SERVER };
        const { values, problems } = await readFiles(method, input, undefined);
        expect(problems).toEqual([]);
        const ours = sorted(buildRequest(method, NO_AUTH, values).url);
        const theirs = theirUrl(JSON.parse(text) as Record<string, unknown>, imported, input);
        operations++;
        if (ours !== theirs) differences.push(`${file} ${imported.operationKey}: ${ours} (not ${theirs})`);
      }
    }
    // The reasons are those of the matrix.
    expect({ operations, differences }).toMatchSnapshot();
  });
});
