import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importDocument, type ImportedMethod } from '@platform/openapi-import';
import { GuardedHttp } from '../../infra/outgoing/guarded-http.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { CallCredentialsService } from '../calls/call-credentials.service.ts';
import type { CallableMethod } from '../calls/call-protocol.ts';
import { bareType } from '../calls/media-types.ts';
import { ToolCallsService } from '../calls/tool-calls.service.ts';
import { HttpCallsService } from './http-calls.service.ts';

interface PeerCall {
  spec: unknown;
  operationId: string;
  parameters: JsonObject;
  requestBody?: unknown;
  requestContentType?: string;
}
/** `swagger-client` builds and sends requests from the document itself. It shares nothing with ours. */
const peer = createRequire(import.meta.url)('swagger-client/lib/execute/index.js') as {
  execute(call: PeerCall): Promise<unknown>;
};

/** Real documents of other parties. They are not part of the repository. */
const folder =
  process.env.OPENAPI_CORPUS ??
  join(dirname(fileURLToPath(import.meta.url)), '../../../../../../shared/openapi-corpus');
const files = existsSync(folder) ? readdirSync(folder).filter((name) => /^(?!neg-).*\.json$/.test(name)) : [];
if (files.length === 0)
  console.warn('Requests for the documents of the corpus are not tested: set OPENAPI_CORPUS to their folder');
const describeCorpus = files.length === 0 ? describe.skip : describe;

const MAX_METHODS = 60;
const VERBS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** What a server knows of a request that has arrived. The order of query parameters is that of their declaration. */
interface Arrived {
  operation: string;
  path: string;
  contentType: string;
  headers: [string, string | string[] | undefined][];
  body: unknown;
}

/** A server with the operations of several documents, each below the index of its document. */
class DocumentServer {
  readonly arrived: Arrived[] = [];
  /** The headers that the current operation declares. */
  headers: string[] = [];
  private readonly routes: { verb: string; pattern: RegExp; operation: string }[] = [];
  private readonly server = createServer((request, response) => {
    void this.receive(request).then((arrived) => {
      this.arrived.push(arrived);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });

  async start(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Serves the paths of a document. Those with fewer variables come first. */
  serve(document: JsonObject, index: number): void {
    for (const [path, given] of Object.entries(isObject(document.paths) ? document.paths : {})) {
      const item = resolve(document, given);
      const escaped = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^{}]*\}/g, '[^/]+');
      const pattern = new RegExp(`^/${index}${escaped}$`);
      for (const verb of VERBS)
        if (isObject(item) && item[verb] !== undefined)
          this.routes.push({ verb, pattern, operation: `${index} ${verb.toUpperCase()} ${path}` });
    }
    const variables = ({ operation }: { operation: string }) => operation.split('{').length;
    this.routes.sort((a, b) => variables(a) - variables(b));
  }

  private async receive(request: IncomingMessage): Promise<Arrived> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const [pathname = '', query = ''] = url.split('?');
    const route = this.routes.find(
      ({ verb, pattern }) => verb === method.toLowerCase() && pattern.test(pathname),
    );
    const type = headers['content-type'] ?? '';
    return {
      operation: route?.operation ?? 'none',
      path: `${pathname}?${query.split('&').sort().join('&')}`,
      contentType: bareType(type),
      headers: [...this.headers, 'cookie'].map((name) => [name, headers[name.toLowerCase()]]),
      body: readBody(Buffer.concat(chunks).toString('latin1'), type),
    };
  }
}

/** Clients may write equal bodies with other boundaries, spaces, or an order of their own. */
function readBody(text: string, type: string): unknown {
  const boundary = /boundary=(\S+)/.exec(type)?.[1];
  if (boundary !== undefined) return text.split(boundary).sort();
  if (bareType(type) === 'application/x-www-form-urlencoded') return text.split('&').sort();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

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

/** What a reference within the document leads to. */
function resolve(document: JsonObject, value: unknown): unknown {
  if (!isObject(value) || typeof value.$ref !== 'string') return value;
  const keys = value.$ref.slice(2).split('/');
  const target = keys.reduce<unknown>((at, key) => {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(at) ? at[name] : undefined;
  }, document);
  return resolve(document, target);
}

/** The operation of the document with references resolved in what a request is built from, on its own. */
function soleOperation(document: JsonObject, { path, httpMethod }: ImportedMethod, server: URL): JsonObject {
  const listOf = (holder: unknown): unknown[] =>
    isObject(holder) && Array.isArray(holder.parameters) ? holder.parameters : [];
  const item = isObject(document.paths) ? resolve(document, document.paths[path]) : undefined;
  const operation = isObject(item) ? item[httpMethod] : undefined;
  const parameters = [...listOf(item), ...listOf(operation)]
    .map((one) => resolve(document, one))
    .filter((one) => isObject(one))
    // The import leaves them out: they belong to the authentication and to the body.
    .filter((one) => one.in !== 'header' || !/^(accept|content-type|authorization)$/i.test(String(one.name)))
    .map((one) => ({ ...one, ...(isObject(one.schema) && { schema: resolve(document, one.schema) }) }));
  const requestBody = isObject(operation) ? resolve(document, operation.requestBody) : undefined;
  const consumes = (isObject(operation) ? operation.consumes : undefined) ?? document.consumes;
  const head =
    document.swagger === undefined
      ? { openapi: '3.0.4', servers: [{ url: server.href }] }
      : { swagger: '2.0', host: server.host, basePath: server.pathname, schemes: ['http'] };
  const sole = {
    operationId: 'it',
    parameters,
    responses: {},
    ...(requestBody !== undefined && { requestBody }),
    ...(consumes !== undefined && { consumes }),
  };
  return { ...head, paths: { [path]: { [httpMethod]: sole } } };
}

/** The same values as a client of the document hands them over. */
function peerCall(spec: JsonObject, method: ImportedMethod, input: JsonObject): PeerCall {
  const parameters: JsonObject = {};
  const fields: [string, unknown][] = [];
  let whole: unknown;
  for (const { port, in: place, name } of method.bindings) {
    const value = input[port];
    if (place !== 'body') parameters[`${place}.${name ?? port}`] = value;
    else if (name === undefined) whole = value;
    else fields.push([name, value]);
  }
  const body = whole ?? (fields.length > 0 ? Object.fromEntries(fields) : undefined);
  const call = { spec, operationId: 'it', parameters };
  if (body === undefined) return call;
  if (spec.swagger === undefined)
    return { ...call, requestBody: body, requestContentType: method.bodyMediaType ?? '' };
  const [sole] = Object.values(spec.paths as JsonObject).flatMap((item) => Object.values(item as JsonObject));
  for (const parameter of (sole as { parameters: JsonObject[] }).parameters) {
    const name = String(parameter.name);
    if (parameter.in === 'body') parameters[`body.${name}`] = body;
    else if (parameter.in === 'formData') {
      const value = (body as JsonObject)[name];
      parameters[`formData.${name}`] = parameter.type === 'file' ? fileOf(name, value) : value;
    }
  }
  return { ...call, requestContentType: method.bodyMediaType ?? '' };
}

/** The peer takes files as such, ours in base64. */
function fileOf(name: string, base64: unknown): File {
  return new File([Buffer.from(String(base64), 'base64')], name, { type: 'application/octet-stream' });
}

interface Difference {
  operation: string;
  ours: unknown;
  theirs: unknown;
}

/** Where the peer differs, and why ours is right. The first that matches counts. */
const REASONS: [reason: string, applies: (one: Difference) => boolean][] = [
  [
    'The peer sends the range */* as the media type of a body. Ours chooses JSON',
    ({ ours, theirs }) =>
      isObject(theirs) &&
      theirs.contentType === '*/*' &&
      JSON.stringify(ours) === JSON.stringify({ ...theirs, contentType: 'application/json' }),
  ],
  [
    'The peer sends only the last of several cookies, and joins its fields to one text. Ours sends all of them, each as its style says',
    ({ operation }) => / GET \/cookies/.test(operation),
  ],
  [
    'OpenAPI 3.0.4 follows RFC 6570: values of a label without explode are separated by commas',
    ({ operation }) => operation.includes('/anything/path/label/'),
  ],
  [
    'Styles with a delimiter apply to objects as well; the delimiter is encoded in a URL, and only there',
    ({ operation }) => /\/(?:query|form-data)\/(?:space|pipe)Delimited$/.test(operation),
  ],
  [
    'OpenAPI: every item of a list in multipart is a part of its own, and an object is a part with the type application/json',
    ({ operation }) => /POST \/anything\/form-data$|PUT \/circular$/.test(operation),
  ],
  [
    'Not defined for lists: the peer ignores the style deepObject. Ours numbers the brackets, which servers that parse brackets understand',
    ({ operation }) => operation.endsWith('/form-data/deepObject'),
  ],
];

/** Rejects as well if the peer cannot build the request. */
const send = async (spec: JsonObject, method: ImportedMethod, input: JsonObject) =>
  peer.execute(peerCall(spec, method, input));

/** What is tested is the request: samples need not satisfy the schemas. */
const schemas = { validateInput: () => [], validateOutput: () => [] };
const responses = { find: () => Promise.resolve(null), save: () => Promise.resolve() };

describeCorpus('a server with the operations of real documents', () => {
  const server = new DocumentServer();
  let http: GuardedHttp;
  let port: number;
  beforeAll(async () => {
    port = await server.start();
    http = new GuardedHttp({ allowPrivate: [`127.0.0.1:${port}`] });
  });
  afterAll(async () => {
    await http.close();
    await server.stop();
  });

  it('receives what an independent client sends', async () => {
    const credentials = new CallCredentialsService(http, {} as never);
    const calls = new ToolCallsService(credentials, schemas as never, responses as never);
    new HttpCallsService(http, { includes: () => false } as never, calls).onModuleInit();
    let operations = 0;
    let bodies = 0;
    let headers = 0;
    const differences: Record<string, string[]> = {};
    for (const [index, file] of files.entries()) {
      const text = readFileSync(join(folder, file), 'utf8');
      const document = JSON.parse(text) as JsonObject;
      const base = new URL(`http://127.0.0.1:${port}/${index}`);
      server.serve(document, index);
      const { methods } = await importDocument({ text, fileName: file });
      for (const imported of methods.slice(0, MAX_METHODS)) {
        const ports = isObject(imported.inputSchema.properties) ? imported.inputSchema.properties : {};
        const input = Object.fromEntries(
          imported.bindings.map((one) => [one.port, sampleOf(ports[one.port])]),
        );
        const declared = imported.bindings.flatMap(({ in: place, name }) =>
          place === 'header' && name ? [name] : [],
        );
        server.headers = declared;
        const callable: CallableMethod = {
          encoding: null,
          outputFields: null,
          ...imported,
          id: imported.name,
          protocol: 'http',
          imported: null,
          checkedAt: null,
          toolId: file,
          toolName: file,
          spaceId: 'space',
          serverUrl: base.href,
          redirects: 'none',
          cache: { ttlSeconds: 0 },
          retry: { attempts: 0, backoffMs: 0 },
          timeoutMs: 30_000,
          version: '1',
        };
        server.arrived.length = 0;
        const credentials = { auth: { type: 'none' } as const, secret: null, version: 1 };
        const ours = await calls.call(callable, credentials, input, { userId: 'person' }).then(
          () => server.arrived.shift(),
          (error: unknown) => String(error),
        );
        const theirs = await send(soleOperation(document, imported, base), imported, input).then(
          () => server.arrived.shift(),
          (error: unknown) => String(error),
        );
        operations++;
        if (declared.length > 0) headers++;
        if (typeof ours === 'object' && ours.body !== '') bodies++;
        const operation = `${file} ${imported.operationKey}`;
        // A fragment is not sent.
        const served = `${index} ${imported.operationKey.replace(/#.*/, '')}`;
        const isServed = typeof ours === 'object' && ours.operation === served;
        expect([operation, isServed]).toEqual([operation, true]);
        const [a, b] = [ours, theirs].map((one) => JSON.stringify(one));
        if (a === b) continue;
        const reason = REASONS.find(([, applies]) => applies({ operation, ours, theirs }))?.[0];
        const shown = reason === undefined ? `${operation}: ${a} (not ${b})` : operation;
        (differences[reason ?? 'not explained'] ??= []).push(shown);
      }
    }
    expect(files.length).toBeGreaterThanOrEqual(10);
    expect(differences['not explained'] ?? []).toEqual([]);
    expect({ operations, bodies, headers, differences }).toMatchSnapshot();
  });
});
