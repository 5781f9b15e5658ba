import type { ImportedMethod, ReportEntry } from './types.ts';
import { importDocument, OpenDocument } from './import-document.ts';

const importJson = (document: object) => importDocument({ text: JSON.stringify(document) });

/** Imports one operation of an OpenAPI 3 document. */
async function importOne(
  operation: object,
  { path = '/a', ...rest }: { path?: string; components?: object; parameters?: unknown[] } = {},
): Promise<{ method: ImportedMethod; report: ReportEntry }> {
  const { parameters, ...root } = rest;
  const { methods, report } = await importJson({
    openapi: '3.0.3',
    ...root,
    paths: { [path]: { ...(parameters && { parameters }), post: { responses: {}, ...operation } } },
  });
  return { method: methods[0] as ImportedMethod, report: report[0] as ReportEntry };
}

const body = (schema: object, mediaType = 'application/json', required = true) => ({
  requestBody: { required, content: { [mediaType]: { schema } } },
});
const parameter = (name: string, location: string, more: object = {}) => ({
  name,
  in: location,
  schema: { type: 'string' },
  ...more,
});

/** The schema of one property of the body. */
async function convert(schema: object, components: object = {}): Promise<unknown> {
  const { method } = await importOne(body({ type: 'object', properties: { x: schema } }), {
    components: { schemas: components },
  });
  const { isPort, ...converted } = (method.inputSchema.properties as { x: { isPort: boolean } }).x;
  expect(isPort).toBe(true);
  return converted;
}

describe('the input', () => {
  it('has one port per parameter and property of the body, with bindings', async () => {
    const { method } = await importOne(
      {
        parameters: [
          parameter('id', 'path'),
          parameter('q', 'query', { style: 'pipeDelimited', explode: false, allowReserved: true }),
          parameter('X-Trace', 'header'),
          parameter('session', 'cookie'),
        ],
        ...body({
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, age: { type: 'integer' } },
        }),
      },
      { path: '/a/{id}' },
    );
    expect(method.inputSchema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', isPort: true },
        q: { type: 'string', isPort: true },
        'X-Trace': { type: 'string', isPort: true },
        session: { type: 'string', isPort: true },
        name: { type: 'string', isPort: true },
        age: { type: 'integer', isPort: true },
      },
      required: ['id', 'name'],
    });
    expect(method.bindings).toEqual([
      { port: 'id', in: 'path', name: 'id' },
      { port: 'q', in: 'query', name: 'q', style: 'pipeDelimited', explode: false, allowReserved: true },
      { port: 'X-Trace', in: 'header', name: 'X-Trace' },
      { port: 'session', in: 'cookie', name: 'session' },
      { port: 'name', in: 'body', name: 'name' },
      { port: 'age', in: 'body', name: 'age' },
    ]);
    expect(method.bodyMediaType).toBe('application/json');
  });

  it('merges the parameters of path and operation; the operation wins, headers in any case', async () => {
    const { method } = await importOne(
      {
        parameters: [
          parameter('q', 'query', { description: 'operation' }),
          parameter('x-a', 'header', { description: 'operation' }),
        ],
      },
      { parameters: [parameter('q', 'query'), parameter('X-A', 'header'), parameter('q', 'header')] },
    );
    expect(Object.keys(method.inputSchema.properties as object)).toEqual(['q', 'x-a', 'q__header']);
    expect(method.inputSchema.properties).toMatchObject({
      q: { description: 'operation' },
      'x-a': { description: 'operation' },
    });
  });

  it('gives each parameter a port of its own, whatever others are called', async () => {
    const { method } = await importOne({
      parameters: [parameter('a', 'header'), parameter('a__query', 'query'), parameter('a', 'query')],
    });
    const ports = ['a', 'a__query', 'a__query_2'];
    expect(Object.keys(method.inputSchema.properties as object)).toEqual(ports);
    expect(method.bindings.map(({ port }) => port)).toEqual(ports);
  });

  it('adds variables of the path that no parameter declares, and always requires path parameters', async () => {
    const { method } = await importOne(
      { parameters: [parameter('a', 'path', { required: false })] },
      { path: '/{a}/{b}' },
    );
    expect(method.inputSchema.required).toEqual(['a', 'b']);
  });

  it('omits what cannot be sent, and says so', async () => {
    const { method, report } = await importOne(
      { parameters: [parameter('id', 'path'), parameter('file', 'formData')] },
      { path: '/pets/{petId}' },
    );
    expect(method.inputSchema).toMatchObject({ required: ['petId'] });
    expect(method.bindings).toEqual([{ port: 'petId', in: 'path', name: 'petId' }]);
    expect(report.reasons.map(({ reason }) => reason)).toEqual([
      'The parameter has no valid name and location and is omitted',
      'The path has no variable id, so the parameter is omitted',
    ]);
  });

  it('omits the headers that the platform sets', async () => {
    const headers = ['Accept', 'content-type', 'AUTHORIZATION', 'X-Kept'].map((name) =>
      parameter(name, 'header'),
    );
    const { method } = await importOne({ parameters: headers });
    expect(method.bindings.map(({ name }) => name)).toEqual(['X-Kept']);
  });

  it('omits headers that no call can set, and says so', async () => {
    const headers = ['host', 'Cookie', 'Sec-Fetch-Mode', 'X-Kept'].map((name) => parameter(name, 'header'));
    const { method, report } = await importOne({ parameters: headers });
    expect(method.bindings.map(({ name }) => name)).toEqual(['X-Kept']);
    expect(report.fidelity).toBe('simplified');
    expect(report.reasons.map(({ reason }) => reason)).toEqual(
      ['host', 'Cookie', 'Sec-Fetch-Mode'].map(
        (name) => `The platform sets the header ${name}, so the parameter is omitted`,
      ),
    );
  });

  it('asks for no variable of what follows a #, which no request has', async () => {
    const parameters = [parameter('id', 'path'), parameter('part', 'path')];
    const { method, report } = await importOne({ parameters }, { path: '/pets/{id}#{part}' });
    expect(method.bindings.map(({ name }) => name)).toEqual(['id']);
    expect(report.reasons.map(({ reason }) => reason)).toEqual([
      'The path has no variable part, so the parameter is omitted',
    ]);
  });

  it('renames parameters that collide with properties of the body', async () => {
    const { method } = await importOne(
      {
        parameters: [parameter('id', 'path'), parameter('id', 'query')],
        ...body({ type: 'object', properties: { id: { type: 'integer' } } }),
      },
      { path: '/{id}' },
    );
    expect(method.bindings).toEqual([
      { port: 'id__path', in: 'path', name: 'id' },
      { port: 'id__query', in: 'query', name: 'id' },
      { port: 'id', in: 'body', name: 'id' },
    ]);
    expect(method.inputSchema.properties).toMatchObject({ id: { type: 'integer' } });
    expect(method.inputSchema.required).toEqual(['id__path']);
  });

  it.each([
    ['a list', { type: 'array', items: { type: 'string' } }],
    ['a text', { type: 'string' }],
    ['a choice', { oneOf: [{ type: 'object', properties: { a: {} } }, { type: 'string' }] }],
    ['a map', { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } }],
  ])('has one port for a body that is %s', async (_, schema) => {
    const { method } = await importOne(body(schema));
    expect(method.bindings).toEqual([{ port: 'body', in: 'body' }]);
    expect(method.inputSchema.required).toEqual(['body']);
  });

  it('reads parameters with content', async () => {
    const content = {
      'application/json': { schema: { type: 'object', properties: { a: { type: 'string' } } } },
    };
    const { method } = await importOne({ parameters: [{ name: 'f', in: 'query', content }] });
    expect(method.bindings).toEqual([{ port: 'f', in: 'query', name: 'f', mediaType: 'application/json' }]);
    expect(method.inputSchema.properties).toMatchObject({ f: { type: 'object', isPort: true } });
  });

  it.each([
    [['text/plain', 'application/vnd.api+json', 'application/json'], 'application/json'],
    [['text/plain', 'application/vnd.api+json'], 'application/vnd.api+json'],
    [['multipart/form-data', 'application/x-www-form-urlencoded'], 'application/x-www-form-urlencoded'],
    [['text/plain', 'multipart/form-data'], 'multipart/form-data'],
    [['text/csv', 'text/plain'], 'text/csv'],
    [['application/json; charset=utf-8'], 'application/json; charset=utf-8'],
  ])('of the types %j takes %s', async (types, chosen) => {
    const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'object' } }]));
    const { method } = await importOne({ requestBody: { content } });
    expect(method.bodyMediaType).toBe(chosen);
  });

  it('keeps the encoding of a form', async () => {
    const encoding = { file: { contentType: 'image/png' } };
    const content = { 'multipart/form-data': { schema: { type: 'object' }, encoding } };
    expect((await importOne({ requestBody: { content } })).method.encoding).toEqual(encoding);
  });
});

describe('the output', () => {
  const response = (type: string) => ({
    content: {
      'application/json': { schema: { type: 'object', title: type, properties: { a: { type: 'string' } } } },
    },
  });

  it.each([
    [{ '404': response('no'), '204': {}, '201': response('yes'), '202': response('no') }, 'yes'],
    [{ default: response('no'), '2XX': response('yes') }, 'yes'],
    [{ default: response('yes'), '400': response('no') }, 'yes'],
  ])('of %j is that of the lowest success', async (responses, title) => {
    const { method } = await importOne({ responses });
    expect(method.outputSchema).toEqual({
      type: 'object',
      title,
      properties: { a: { type: 'string', isPort: true } },
    });
  });

  it('is the empty object schema if there is none', async () => {
    expect((await importOne({ responses: { '204': {} } })).method.outputSchema).toEqual({
      type: 'object',
      properties: {},
    });
  });
});

describe('a schema', () => {
  it('keeps validation keywords and descriptions', async () => {
    const schema = {
      type: 'string',
      format: 'uuid',
      title: 't',
      description: 'd',
      minLength: 1,
      maxLength: 9,
      pattern: '^a',
      default: 'a',
      writeOnly: true,
      deprecated: true,
      enum: ['a', 'b'],
    };
    expect(await convert({ ...schema, example: 'a' })).toEqual({ ...schema, examples: ['a'] });
  });

  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      { type: 'integer', exclusiveMinimum: 1 },
    ],
    [
      { type: 'integer', maximum: 1, exclusiveMaximum: false },
      { type: 'integer', maximum: 1 },
    ],
    [
      { type: 'integer', exclusiveMaximum: 5 },
      { type: 'integer', exclusiveMaximum: 5 },
    ],
    [{ type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      { nullable: true, oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, { type: 'null' }] },
    ],
    [{ properties: { a: true } }, { type: 'object', properties: { a: true } }],
    [{ items: { type: 'string' } }, { type: 'array', items: { type: 'string' } }],
    [{ enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    [
      { items: [{ type: 'string' }, { type: 'number' }], type: 'array' },
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    ],
    [{ type: 'file' }, { type: 'string', format: 'binary' }],
    [{ required: true, type: 'string' }, { type: 'string' }],
  ])('%j becomes %j', async (schema, expected) => {
    expect(await convert(schema)).toEqual(expected);
  });

  it('keeps which bound of a member of allOf is exclusive, as OpenAPI 3.0 writes it', async () => {
    const allOf = (...members: object[]) => convert({ type: 'number', allOf: members });
    expect(
      await allOf({ minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true }, { minimum: 5 }),
    ).toEqual({ type: 'number', exclusiveMinimum: 3, minimum: 5, exclusiveMaximum: 9 });
    expect(
      await allOf({ maximum: 3, exclusiveMaximum: false }, { exclusiveMaximum: true, maximum: 3 }),
    ).toEqual({
      type: 'number',
      maximum: 3,
      exclusiveMaximum: 3,
    });
  });

  it('merges allOf: union of properties, tightest bounds, intersection of enums', async () => {
    const schema = {
      allOf: [
        { $ref: '#/components/schemas/Base' },
        {
          type: 'object',
          required: ['b'],
          properties: { b: { type: 'string' }, n: { minimum: 3, enum: [3, 4, 5] } },
        },
      ],
    };
    const Base = {
      type: 'object',
      description: 'base',
      required: ['a'],
      properties: { a: { type: 'string' }, n: { type: 'integer', minimum: 1, enum: [1, 3, 4] } },
    };
    expect(await convert(schema, { Base })).toEqual({
      type: 'object',
      description: 'base',
      required: ['a', 'b'],
      properties: {
        a: { type: 'string' },
        n: { type: 'integer', minimum: 3, enum: [3, 4] },
        b: { type: 'string' },
      },
    });
  });

  it('keeps choices and the discriminator', async () => {
    const schema = {
      oneOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }],
      discriminator: { propertyName: 'kind' },
    };
    expect(
      await convert(schema, { A: { type: 'object', properties: { kind: { type: 'string' } } } }),
    ).toEqual({
      oneOf: [{ type: 'object', properties: { kind: { type: 'string' } } }, { type: 'null' }],
      discriminator: { propertyName: 'kind' },
    });
  });

  it('prefers a description beside a reference', async () => {
    expect(
      await convert(
        { $ref: '#/components/schemas/A', description: 'mine' },
        { A: { type: 'string', description: 'theirs' } },
      ),
    ).toEqual({
      type: 'string',
      description: 'mine',
    });
  });

  it.each(['#/components/schemas/Missing', 'other.yaml#/A', 'https://example.com/schema.json'])(
    'is the empty object schema if %s cannot be resolved',
    async ($ref) => {
      expect(await convert({ $ref })).toEqual({ type: 'object', properties: {} });
    },
  );

  it('follows a chain of 100 references, and cuts one that leads back to itself', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`S${i}`, { $ref: `#/components/schemas/S${i + 1}` }]),
    );
    expect(
      await convert({ $ref: '#/components/schemas/S0' }, { ...chain, S100: { type: 'integer' } }),
    ).toEqual({ type: 'integer' });
    expect(
      await convert(
        { $ref: '#/components/schemas/S0' },
        { ...chain, S100: { $ref: '#/components/schemas/S0' } },
      ),
    ).toEqual({ type: 'object', properties: {} });
  });

  it('cuts a cycle where it closes, but not a second use', async () => {
    const Node = {
      type: 'object',
      title: 'Node',
      properties: {
        left: { $ref: '#/components/schemas/Node' },
        value: { $ref: '#/components/schemas/Value' },
        other: { $ref: '#/components/schemas/Value' },
      },
    };
    const value = { type: 'object', properties: { a: { type: 'string' } } };
    expect(await convert({ $ref: '#/components/schemas/Node' }, { Node, Value: value })).toEqual({
      type: 'object',
      title: 'Node',
      properties: { left: { type: 'object', title: 'Node', properties: {} }, value, other: value },
    });
  });

  it('simplifies what is beyond 2,000 parts, level by level, and reports it', async () => {
    const wide = (depth: number): object =>
      depth === 0
        ? { type: 'string' }
        : {
            type: 'object',
            properties: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`p${i}`, wide(depth - 1)])),
          };
    const { method, report } = await importOne(body(wide(4)));
    expect(JSON.stringify(method.inputSchema).length).toBeLessThan(200_000);
    expect(
      (method.inputSchema.properties as Record<string, { properties: object }>).p11?.properties,
    ).toHaveProperty('p11');
    expect(report.fidelity).toBe('simplified');
    expect(report.reasons).toHaveLength(20);
    expect(report.reasons[0]?.reason).toContain('more than 2000 parts');
  });
});

describe('Swagger 2.0', () => {
  const swagger = (operation: object, root: object = {}) =>
    importJson({ swagger: '2.0', ...root, paths: { '/a': { post: { responses: {}, ...operation } } } });

  it('converts parameters to schemas and keeps collectionFormat', async () => {
    const { methods } = await swagger({
      parameters: [
        {
          name: 'ids',
          in: 'query',
          type: 'array',
          items: { type: 'integer' },
          collectionFormat: 'multi',
          required: true,
          description: 'd',
        },
      ],
    });
    expect(methods[0]?.inputSchema).toEqual({
      type: 'object',
      properties: { ids: { type: 'array', items: { type: 'integer' }, description: 'd', isPort: true } },
      required: ['ids'],
    });
    expect(methods[0]?.bindings).toEqual([
      { port: 'ids', in: 'query', name: 'ids', collectionFormat: 'multi' },
    ]);
  });

  it('separates lists by commas unless stated otherwise, in parameters and forms', async () => {
    const list = { type: 'array', items: { type: 'string' } };
    const { methods } = await swagger({
      parameters: [
        { name: 'a', in: 'query', ...list },
        { name: 'b', in: 'formData', ...list, collectionFormat: 'pipes' },
        { name: 'c', in: 'formData', ...list },
        { name: 'd', in: 'formData', type: 'string' },
      ],
    });
    expect(methods[0]?.bindings).toEqual([
      { port: 'a', in: 'query', name: 'a', collectionFormat: 'csv' },
      { port: 'b', in: 'body', name: 'b', collectionFormat: 'pipes' },
      { port: 'c', in: 'body', name: 'c', collectionFormat: 'csv' },
      { port: 'd', in: 'body', name: 'd' },
    ]);
  });

  it('reads body, form, and file parameters', async () => {
    const [withBody, withForm, withFile] = await Promise.all([
      swagger(
        {
          parameters: [
            { name: 'b', in: 'body', schema: { type: 'object', properties: { a: { type: 'string' } } } },
          ],
        },
        { consumes: ['application/json'] },
      ),
      swagger({ parameters: [{ name: 'a', in: 'formData', type: 'string', required: true }] }),
      swagger({
        parameters: [{ name: 'f', in: 'formData', type: 'file' }],
        consumes: ['application/x-www-form-urlencoded'],
      }),
    ]);
    expect(withBody.methods[0]).toMatchObject({
      bodyMediaType: 'application/json',
      bindings: [{ port: 'a', in: 'body', name: 'a' }],
    });
    expect(withForm.methods[0]).toMatchObject({
      bodyMediaType: 'application/x-www-form-urlencoded',
      inputSchema: { required: ['a'] },
    });
    expect(withFile.methods[0]).toMatchObject({
      bodyMediaType: 'multipart/form-data',
      inputSchema: { properties: { f: { type: 'string', format: 'binary' } } },
    });
  });

  it('says that a form beside a body is lost', async () => {
    const { methods, report } = await swagger({
      parameters: [
        { name: 'b', in: 'body', schema: { type: 'object', properties: { a: { type: 'string' } } } },
        { name: 'f', in: 'formData', type: 'string' },
      ],
    });
    expect(methods[0]?.bindings).toEqual([{ port: 'a', in: 'body', name: 'a' }]);
    expect(report[0]?.reasons.map(({ reason }) => reason)).toContain(
      'The operation has a body as well as a form, which is omitted',
    );
  });

  it('builds the output from the schema of the response', async () => {
    const { methods } = await swagger(
      { responses: { '200': { schema: { $ref: '#/definitions/A' } } } },
      { definitions: { A: { type: 'object', properties: { a: { type: 'string' } } } } },
    );
    expect(methods[0]?.outputSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'string', isPort: true } },
    });
  });

  it.each([
    [
      { host: 'api.example.com', basePath: '/v1', schemes: ['http', 'https'] },
      ['https://api.example.com/v1', 'http://api.example.com/v1'],
    ],
    [{ host: 'api.example.com' }, ['https://api.example.com']],
    [{ basePath: '/v1' }, ['/v1']],
    [{ host: 'api.example.com', basePath: 'v1' }, ['https://api.example.com/v1']],
    [{ host: 'http://api.example.com:8080/', basePath: '/v1' }, ['http://api.example.com:8080/v1']],
    [{ host: 'https://api.example.com', schemes: ['http'] }, ['http://api.example.com']],
    [{}, []],
  ])('has the servers of %j', async (root, urls) => {
    expect((await swagger({}, root)).servers.map(({ url }) => url)).toEqual(urls);
  });
});

describe('servers', () => {
  const servers = [
    { url: 'https://{region}.example.com/{missing}/', variables: { region: { default: 'eu' } } },
    { url: '/v2' },
  ];

  it('are listed with the defaults of their variables, relative ones resolved', async () => {
    const text = JSON.stringify({
      openapi: '3.0.0',
      servers,
      paths: { '/a': { get: {}, post: { responses: {}, servers: [{ url: 'https://op.example.com' }] } } },
    });
    const result = await importDocument({ text, documentUrl: 'https://docs.example.com/spec/openapi.json' });
    expect(result.servers.map(({ url }) => url)).toEqual([
      'https://eu.example.com/{missing}',
      'https://docs.example.com/v2',
    ]);
    expect(result.methods.map(({ serverUrl }) => serverUrl)).toEqual(['https://op.example.com']);
  });
});

describe('one bad endpoint', () => {
  it('is reported with its reason, and the others are imported', async () => {
    const { methods, report } = await importJson({
      openapi: '3.0.0',
      paths: {
        '/null': { get: null },
        '/empty': { get: {} },
        '/text': { get: 'text' },
        '/path': 'text',
        '/ref': { $ref: '#/components/pathItems/Missing' },
        '/bare': { get: { operationId: 'bare' } },
        '/described': { get: { operationId: 'described', description: 'Says something.' } },
        '/search{?q,limit}': { get: { operationId: 'search', responses: {} } },
        '/good': { get: { operationId: 'good', responses: {} } },
        'x-extension': { get: { operationId: 'no' } },
      },
    });
    expect(methods.map(({ name }) => name)).toEqual(['described', 'good']);
    expect(report.map(({ operationKey, fidelity }) => `${fidelity} ${operationKey}`)).toEqual([
      'simplified GET /described',
      'exact GET /good',
      'skipped GET /null',
      'skipped GET /empty',
      'skipped GET /text',
      'skipped /path',
      'skipped /ref',
      'skipped GET /bare',
      'skipped GET /search{?q,limit}',
    ]);
    for (const { reasons } of report.filter(({ fidelity }) => fidelity !== 'exact'))
      expect(reasons[0]?.reason).toMatch(/^[A-Z].{10,}/);
  });

  it('is the reason if there is nothing else', async () => {
    await expect(importJson({ openapi: '3.0.0', paths: { '/a': { get: null } } })).rejects.toThrow(
      'GET /a: The operation is not an object',
    );
    await expect(importJson({ openapi: '3.0.0', paths: { '/a': {} } })).rejects.toThrow(
      '1 paths, but no operations',
    );
  });
});

it('imports the verbs of OpenAPI 3.2', async () => {
  const operation = { responses: {} };
  const verbs = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
  const { methods } = await importJson({
    openapi: '3.2.0',
    paths: {
      '/a': {
        ...Object.fromEntries(verbs.map((verb) => [verb, operation])),
        additionalOperations: { COPY: operation },
      },
    },
  });
  expect(methods.map(({ httpMethod }) => httpMethod)).toEqual([...verbs, 'copy']);
  expect(methods.filter(({ acts }) => !acts).map(({ httpMethod }) => httpMethod)).toEqual([
    'get',
    'options',
    'head',
    'trace',
    'query',
  ]);
});

it('makes names that are valid, unique in any case, and stable', async () => {
  const ids = [
    'list pets',
    'list_pets',
    'LIST_PETS',
    'x'.repeat(100),
    `${'x'.repeat(100)}y`,
    '列表',
    undefined,
  ];
  const paths = Object.fromEntries(
    ids.map((operationId, i) => [`/p${i}/{id}`, { get: { operationId, responses: {} } }]),
  );
  const [first, second] = await Promise.all([
    importJson({ openapi: '3.0.0', paths }),
    importJson({ openapi: '3.0.0', paths }),
  ]);
  const names = first.methods.map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(['list_pets', 'list_pets_2', 'LIST_PETS_3']);
  expect(names.at(-1)).toBe('get_p6_id');
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
  expect(second.methods.map(({ name }) => name)).toEqual(names);
});

it('does not read authentication', async () => {
  const operation = { operationId: 'a', responses: {}, parameters: [parameter('q', 'query')] };
  const plain = await importJson({ openapi: '3.0.0', paths: { '/a': { get: operation } } });
  const secured = await importJson({
    openapi: '3.0.0',
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', name: 'k', in: 'header' } } },
    paths: { '/a': { get: { ...operation, security: [{ key: [] }] } } },
  });
  expect(secured).toEqual(plain);
});

it('converts single operations on demand, and warns about more than 128', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 129 }, (_, i) => [`/p${i}`, { get: { responses: {} } }]),
  );
  const document = await OpenDocument.parse({ text: JSON.stringify({ openapi: '3.0.0', paths }) });
  expect(document.operations).toHaveLength(129);
  expect(document.warnings[0]).toContain('129 methods');
  expect(document.convert('/p7', 'get').method?.operationKey).toBe('GET /p7');
  expect(() => document.convert('/p7', 'post')).toThrow('has no POST /p7');
});

describe('the processor time is linear', () => {
  /** Far more than the import takes, and far less than it would take if the time were quadratic. */
  const BOUND_MS = 4_000;

  async function cpuMsOfImport(document: object): Promise<number> {
    const text = JSON.stringify(document);
    const before = process.cpuUsage();
    await importDocument({ text });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  }
  const returning = (schema: object) => ({
    '/a': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } },
  });

  it('in operations with the same operationId', async () => {
    const operation = { get: { operationId: 'same', responses: {} } };
    const paths = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`/p${i}`, operation]));
    expect(await cpuMsOfImport({ openapi: '3.0.0', paths })).toBeLessThan(BOUND_MS);
  });

  it('in schemas that contain each other and combine many others', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [
        `S${i}`,
        {
          allOf: [
            ...Array.from({ length: 190 }, () => ({})),
            { properties: { next: { $ref: `#/components/schemas/S${i + 1}` } } },
          ],
        },
      ]),
    );
    const paths = returning({ $ref: '#/components/schemas/S0' });
    expect(await cpuMsOfImport({ openapi: '3.0.0', components: { schemas }, paths })).toBeLessThan(BOUND_MS);
  });

  it('in the properties of the members of allOf', async () => {
    const allOf = Array.from({ length: 199 }, (_, member) => {
      const names = Array.from({ length: 500 }, (__, i) => `p${member}_${i}`);
      return { properties: Object.fromEntries(names.map((name) => [name, {}])), required: names };
    });
    expect(await cpuMsOfImport({ openapi: '3.0.0', paths: returning({ allOf }) })).toBeLessThan(BOUND_MS);
  });
});
