import { Ajv2020 } from 'ajv/dist/2020.js';
import { importDocument } from './import-document.ts';
import type { ImportedMethod, ReportEntry } from './types.ts';

const importJson = (document: object) => importDocument({ text: JSON.stringify(document) });
const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

interface Imported {
  method: ImportedMethod;
  report: ReportEntry;
}

async function importOne(operation: object, root: object = {}, verb = 'post'): Promise<Imported> {
  const { methods, report } = await importJson({
    openapi: '3.1.0',
    ...root,
    paths: { '/a/{id}': { [verb]: { responses: {}, ...operation } } },
  });
  return { method: methods[0] as ImportedMethod, report: report[0] as ReportEntry };
}

const body = (schema: unknown, { type = 'application/json', ...more }: Record<string, unknown> = {}) => ({
  requestBody: { required: true, ...more, content: { [String(type)]: { schema } } },
});
const text = { type: 'string' };
const number = { type: 'integer' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const returning = (schema: unknown) => ({
  responses: { 200: { content: { 'application/json': { schema } } } },
});
const accepts = (schema: object, value: unknown) => ajv.compile(schema)(value);

/** A schema far beyond 256 KB, even without its descriptions. */
const huge = (levels: number, leaf: object = text): object =>
  levels === 0
    ? leaf
    : object(
        Object.fromEntries(
          Array.from({ length: 8 }, (_, i) => [
            `property_with_a_long_name_of_number_${i}`,
            huge(levels - 1, leaf),
          ]),
        ),
        { description: 'What this part is about. '.repeat(20) },
      );
const bytesOf = ({ inputSchema, outputSchema }: ImportedMethod) =>
  Buffer.byteLength(JSON.stringify(inputSchema)) + Buffer.byteLength(JSON.stringify(outputSchema));

describe('the budget of 256 KB', () => {
  it('cuts the output first: its descriptions, then its levels', async () => {
    const operation = { ...body(object({ name: { ...text, description: 'kept' } })), ...returning(huge(4)) };
    const { method, report } = await importOne(operation);
    expect(bytesOf(method)).toBeLessThanOrEqual(256 * 1024);
    expect(method.inputSchema.properties).toMatchObject({ name: { description: 'kept' } });
    expect(JSON.stringify(method.outputSchema.properties).includes('What this part')).toBe(false);
    expect(report.fidelity).toBe('simplified');
    expect(report.reasons.map(({ reason }) => reason)).toContainEqual(
      'The schemas of a method have at most 256 KB: descriptions inside the output are left out',
    );
  });

  it('cuts the input as well if it is too large alone, counted in bytes', async () => {
    const leaf = { enum: Array.from({ length: 20 }, (_, i) => `值${i}${'长'.repeat(40)}`) };
    const { method, report } = await importOne({ ...body(huge(3, leaf)), ...returning(huge(3, leaf)) });
    expect(bytesOf(method)).toBeLessThanOrEqual(256 * 1024);
    expect(Object.keys(method.inputSchema.properties as object)).toHaveLength(9);
    expect(report.reasons[0]?.reason).toContain('256 KB');
    expect(report.reasons.some(({ reason }) => reason.includes('the input is simplified below level'))).toBe(
      true,
    );
  });

  it('keeps the type of what is cut, or none if there are several', async () => {
    const list = (levels: number): object => ({
      type: levels % 2 === 0 ? 'array' : ['array', 'null'],
      items: levels === 0 ? text : list(levels - 1),
    });
    const { method } = await importOne(body(object({ even: list(40), odd: list(41) })));
    const depthOf = (schema: { items?: object }): object[] =>
      schema.items === undefined ? [schema] : depthOf(schema.items);
    const { even, odd } = method.inputSchema.properties as Record<string, object>;
    // A level lower, both are lists or null.
    expect(
      [depthOf(even as object), depthOf(odd as object)]
        .flat()
        .map((cut) => JSON.stringify(cut))
        .sort(),
    ).toEqual(['{"type":"array"}', '{}']);
  });

  it('does not refuse a value because one of several choices is cut', async () => {
    const node = object(
      { self: { $ref: '#/components/schemas/Node' }, kind: { const: 'node' } },
      { required: ['kind'] },
    );
    const schemas = {
      Node: object({ next: { oneOf: [{ $ref: '#/components/schemas/Node' }, node] }, not: { not: node } }),
    };
    const { method, report } = await importOne(body({ $ref: '#/components/schemas/Node' }), {
      components: { schemas },
    });
    expect(report.fidelity).toBe('simplified');
    expect(accepts(method.inputSchema, { id: 'x', next: { kind: 'node' } })).toBe(true);
  });
});

describe('the body', () => {
  const schema = object({ name: text, tag: text, size: number }, { required: ['name', 'tag'] });

  it('keeps its required fields if it is optional', async () => {
    const { method, report } = await importOne(body(schema, { required: undefined }));
    expect(method.inputSchema).toMatchObject({
      required: ['id'],
      dependentRequired: { name: ['tag'], tag: ['name'], size: ['name', 'tag'] },
    });
    expect(report.fidelity).toBe('exact');
    expect(accepts(method.inputSchema, { id: 'x' })).toBe(true);
    expect(accepts(method.inputSchema, { id: 'x', size: 1 })).toBe(false);
  });

  it('keeps its only field if it is optional and needs that', async () => {
    const only = object({ name: text }, { required: ['name'] });
    const { method, report } = await importOne(body(only, { required: undefined }));
    expect(method.inputSchema).toMatchObject({ required: ['id'], dependentRequired: { name: ['name'] } });
    expect(report.fidelity).toBe('exact');
    expect(accepts(method.inputSchema, { id: 'x' })).toBe(true);
    const mayBeEmpty = await importOne(body(object({ name: text }), { required: undefined }));
    expect(mayBeEmpty.method.inputSchema.dependentRequired).toBeUndefined();
  });

  it('keeps its description and how many fields it has', async () => {
    const counted = object({ a: text, b: text }, { minProperties: 1, maxProperties: 1 });
    const { method } = await importOne(body(counted, { description: 'One of both.' }));
    expect(method.inputSchema).toMatchObject({
      description: 'One of both.',
      minProperties: 2,
      maxProperties: 2,
    });
    expect(accepts(method.inputSchema, { id: 'x' })).toBe(false);
    expect(accepts(method.inputSchema, { id: 'x', a: '1' })).toBe(true);
    // With an optional parameter, the number of ports says nothing about the body.
    const query = { parameters: [{ name: 'q', in: 'query', schema: text }] };
    const whole = (await importOne({ ...query, ...body(counted) })).method;
    expect(whole.inputSchema.properties).toMatchObject({ body: { minProperties: 1, maxProperties: 1 } });
  });

  it('can be sent with every field that it requires, declared or not', async () => {
    const { method } = await importOne(body(object({ a: text }, { required: ['a', 'b'] })));
    expect(method.bindings.map(({ port }) => port)).toEqual(['id', 'a', 'b']);
    expect(method.inputSchema.required).toEqual(['id', 'a', 'b']);
  });

  it.each([true, {}, text])('is one port if it has fields of any name: %j', async (additionalProperties) => {
    const { method, report } = await importOne(body(object({ a: text }, { additionalProperties })));
    expect(method.bindings.at(-1)).toEqual({ port: 'body', in: 'body' });
    expect(accepts(method.inputSchema, { id: 'x', body: { a: '1', more: '2' } })).toBe(true);
    expect(report.fidelity).toBe('exact');
  });

  it('is a text if it can be built neither as JSON nor as a form', async () => {
    const { method, report } = await importOne(body(object({ a: text }), { type: 'application/xml' }));
    expect(method.inputSchema.properties).toMatchObject({ body: { type: 'string' } });
    expect(report).toMatchObject({ fidelity: 'simplified' });
    expect(report.reasons[0]?.reason).toBe(
      'A body of application/xml cannot be built from an object, so it is a text',
    );
  });

  it('is omitted where no client sends it', async () => {
    const { method, report } = await importOne(body(schema), {}, 'get');
    expect(method.bodyMediaType).toBeNull();
    expect(method.bindings.map(({ port }) => port)).toEqual(['id']);
    expect(report.reasons[0]?.reason).toBe('A GET request cannot have a body, so it is omitted');
  });

  it('has the media type that was chosen, and names the others', async () => {
    const content = { 'application/json': { schema }, 'text/csv': { schema: text } };
    const { OpenDocument } = await import('./import-document.ts');
    const document = await OpenDocument.parse({
      text: JSON.stringify({
        openapi: '3.1.0',
        paths: { '/a': { post: { responses: {}, requestBody: { content } } } },
      }),
    });
    expect(document.convert('/a', 'post').report.bodyMediaTypes).toEqual(['application/json', 'text/csv']);
    expect(document.convert('/a', 'post', 'text/csv').method).toMatchObject({
      bodyMediaType: 'text/csv',
      bindings: [{ port: 'body', in: 'body' }],
    });
    expect(document.convert('/a', 'post', 'text/gone').method?.bodyMediaType).toBe('application/json');
  });

  it('has the values of all examples, also of those with names and references', async () => {
    const content = {
      'application/json': {
        schema: object({ a: text }),
        examples: { one: { value: { a: 'x' } }, two: { $ref: '#/components/examples/Two' } },
      },
    };
    const parameters = [{ name: 'q', in: 'query', schema: text, examples: { p: { value: 'y' } } }];
    const { method } = await importOne(
      { parameters, requestBody: { content } },
      { components: { examples: { Two: { value: { a: 'z' } } } } },
    );
    expect(method.inputSchema.properties).toMatchObject({
      a: { examples: ['x', 'z'] },
      q: { examples: ['y'] },
    });
  });

  it('has no example with more levels than the service stores', async () => {
    const deep = Array.from({ length: 100 }).reduce<object>((inner) => [inner], []);
    const content = {
      'application/json': {
        schema: object({ a: {}, b: text }),
        examples: { one: { value: { a: deep, b: 'x' } } },
      },
    };
    const { method } = await importOne({ requestBody: { content } });
    expect(method.inputSchema.properties).toEqual({
      id: { ...text, isPort: true },
      a: { isPort: true },
      b: { ...text, examples: ['x'], isPort: true },
    });
  });
});

describe('properties of one direction', () => {
  const schemas = {
    Id: { ...text, readOnly: true },
    Part: object(
      { id: { $ref: '#/components/schemas/Id' }, secret: { ...text, writeOnly: true }, name: text },
      {
        required: ['id', 'name'],
      },
    ),
    Whole: {
      allOf: [
        { $ref: '#/components/schemas/Part' },
        object(
          { parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } } },
          { required: ['parts'] },
        ),
        { anyOf: [{ required: ['id'] }, { required: ['name'] }] },
      ],
    },
  };

  it('are inputs only if they can be set, and outputs only if they are returned, at every depth', async () => {
    const whole = { $ref: '#/components/schemas/Whole' };
    const { method } = await importOne(
      { ...body(object({ whole })), ...returning(object({ whole })) },
      { components: { schemas } },
    );
    const sent = { id: 'x', whole: { name: 'n', parts: [{ name: 'n', secret: 's' }] } };
    expect(accepts(method.inputSchema, sent)).toBe(true);
    expect(JSON.stringify(method.inputSchema)).not.toContain('readOnly');
    const output = JSON.stringify(method.outputSchema);
    expect(output).toContain('readOnly');
    expect(output).not.toContain('secret');
  });

  it('are left out wherever they are used, also if they were converted for another place before', async () => {
    const { method } = await importOne(
      body(
        object({
          list: { type: 'array', items: { $ref: '#/components/schemas/Id' } },
          part: { $ref: '#/components/schemas/Part' },
        }),
      ),
      { components: { schemas } },
    );
    expect(method.inputSchema.properties).toMatchObject({
      list: { items: { type: 'string' } },
      part: { properties: { name: text }, required: ['name'] },
    });
    expect(JSON.stringify(method.inputSchema.properties)).not.toContain('"id":{"type":"string","readOnly"');
  });
});

describe('integers of 64 bits', () => {
  it('can be given as texts', async () => {
    const { method } = await importOne(body(object({ n: { ...number, format: 'int64', minimum: 1 } })));
    expect(accepts(method.inputSchema, { id: 'x', n: '9007199254740993' })).toBe(true);
    expect(accepts(method.inputSchema, { id: 'x', n: 7 })).toBe(true);
    expect(accepts(method.inputSchema, { id: 'x', n: 'seven' })).toBe(false);
  });

  it('keep their digits in examples', async () => {
    const document = JSON.stringify({
      openapi: '3.1.0',
      paths: {
        '/a': {
          get: {
            responses: {},
            parameters: [
              { name: 'n', in: 'query', schema: { ...number, format: 'int64', maximum: 1 }, example: 2 },
            ],
          },
        },
      },
    });
    const large = document
      .replace('"maximum":1', '"maximum":9223372036854775807')
      .replace(':2', ':9007199254740993');
    const { methods } = await importDocument({ text: large });
    expect(methods[0]?.inputSchema.properties).toMatchObject({
      n: { maximum: 2 ** 63, examples: ['9007199254740993'] },
    });
  });
});

describe('what is not exact', () => {
  const reasonsOf = async (operation: object, root: object = {}) =>
    (await importOne(operation, root)).report.reasons;

  it.each<[string, object]>([
    ['an unresolved body', { requestBody: { $ref: '#/components/requestBodies/Gone' } }],
    ['a body without a type', { requestBody: { content: {} } }],
    ['an unresolved media type', { requestBody: { content: { 'application/json': { $ref: '#/gone' } } } }],
    ['an unresolved response', { responses: { 200: { $ref: '#/components/responses/Gone' } } }],
    ['an unresolved parameter', { parameters: [{ $ref: '#/components/parameters/Gone' }] }],
    ['an anchor that does not exist', body(object({ a: { $ref: '#gone' } }))],
    ['a reference to the document', body(object({ a: { $ref: '#' } }))],
    ['a dynamic reference of a draft before', body(object({ a: { $recursiveRef: '#' } }))],
    ['a type that does not exist', body(object({ a: { type: 'date' } }))],
    ['a limit that is no number', body(object({ a: { type: 'string', maxLength: 'ten' } }))],
    [
      'a style that does not exist',
      { parameters: [{ name: 'q', in: 'query', schema: text, style: 'dots' }] },
    ],
    [
      'headers of parts',
      {
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: object({ a: text }),
              encoding: { a: { headers: { 'X-A': {} } } },
            },
          },
        },
      },
    ],
    ['a server that cannot be called', { servers: [{ url: '/v2' }] }],
    ['a body that can also be null', body(object({ a: text }, { type: ['object', 'null'] }))],
  ])('is %s', async (_, operation) => {
    const reasons = await reasonsOf(operation);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]?.reason).toMatch(/^[A-Za-z].{20,}/);
  });

  it('is not an anchor or a dynamic anchor that exists once', async () => {
    const schemas = {
      Pet: { $anchor: 'pet', ...object({ name: text }) },
      Tree: { $dynamicAnchor: 'node', ...object({ child: { $dynamicRef: '#node' } }) },
    };
    const operation = body(object({ pet: { $ref: '#pet' } }, { required: ['pet'] }));
    const { method, report } = await importOne(operation, { components: { schemas } });
    expect(report.fidelity).toBe('exact');
    expect(method.inputSchema.properties).toMatchObject({ pet: { properties: { name: text } } });
    const tree = await importOne(body(object({ tree: { $ref: '#/components/schemas/Tree' } })), {
      components: { schemas },
    });
    expect(tree.method.inputSchema.properties).toMatchObject({
      tree: { properties: { child: { type: 'object' } } },
    });
    expect(tree.report.reasons[0]?.reason).toContain('contains itself');
  });

  it('is a dynamic anchor that exists twice', async () => {
    const node = { $dynamicAnchor: 'node', ...object({ name: text }) };
    const reasons = await reasonsOf(body(object({ a: { $dynamicRef: '#node' } })), {
      components: { schemas: { A: node, B: node } },
    });
    expect(reasons[0]?.reason).toContain('#node cannot be resolved');
  });

  it('keeps rules of earlier drafts in the words of the current one', async () => {
    const schema = object(
      { a: { type: 'array', items: [text], additionalItems: number } },
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
    );
    const { method } = await importOne(body(object({ x: schema })));
    expect(method.inputSchema.properties).toMatchObject({
      x: {
        properties: { a: { prefixItems: [text], items: number } },
        dependentRequired: { a: ['b'] },
        dependentSchemas: { c: { required: ['d'] } },
      },
    });
  });
});

describe('operations', () => {
  it('can be references within the document; those to another one are skipped with the advice to bundle it', async () => {
    const { methods, report } = await importJson({
      openapi: '3.1.0',
      'x-operations': { list: { operationId: 'list', responses: {} } },
      paths: {
        '/a': { get: { $ref: '#/x-operations/list' }, post: { $ref: 'operations/create.yaml' } },
        '/b': { $ref: 'paths/b.yaml' },
      },
    });
    expect(methods.map(({ name }) => name)).toEqual(['list']);
    expect(report.slice(1).map(({ operationKey, reasons }) => [operationKey, reasons[0]?.reason])).toEqual([
      [
        'POST /a',
        'The operation is in another document, operations/create.yaml: bundle the document, or import its folder',
      ],
      ['/b', 'The path is in another document, paths/b.yaml: bundle the document, or import its folder'],
    ]);
  });

  it('are named after verb and path if their ids are not Latin', async () => {
    const ids = {
      '/pets/{id}': '获取宠物',
      '/宠物': '列表',
      '/owners': 'créerPropriétaire',
      '/x': '获取User',
    };
    const paths = Object.fromEntries(
      Object.entries(ids).map(([path, operationId]) => [path, { get: { operationId, responses: {} } }]),
    );
    const { methods } = await importJson({ openapi: '3.0.0', paths });
    expect(methods.map(({ name }) => name)).toEqual([
      'get_pets_id',
      expect.stringMatching(/^get_[0-9a-f]{8}$/),
      'creerProprietaire',
      'get_x',
    ]);
  });

  it('are at the origin of the document if it names no server', async () => {
    const document = { openapi: '3.0.0', paths: { '/a': { get: { responses: {} } } } };
    const { servers } = await importDocument({
      text: JSON.stringify(document),
      documentUrl: 'https://api.example.com:8443/docs/openapi.json',
    });
    expect(servers.map(({ url }) => url)).toEqual(['https://api.example.com:8443']);
    expect((await importJson(document)).servers).toEqual([]);
  });

  it('have what a database can store: no U+0000, no halves of characters, valid paths', async () => {
    const { methods } = await importDocument({
      text:
        '{"openapi":"3.0.0","paths":{"pets and\\\\dogs/{pet id}":{"get":{"description":"a\\u0000b\\ud800",' +
        '"responses":{},"parameters":[{"name":"q\\u0000","in":"query","schema":{"enum":["\\udc00"]}}]}}}}',
    });
    expect(methods[0]).toMatchObject({
      description: 'ab\ufffd',
      path: '/pets%20and%5Cdogs/{pet_id}',
      bindings: [
        { name: 'q', in: 'query' },
        { name: 'pet_id', in: 'path' },
      ],
    });
    expect(JSON.stringify(methods)).toMatch(/^(?!.*\\u(?:0000|d[89a-f]))/);
  });
});

describe('schemas that share a base', () => {
  const paging = (item: string) => ({
    allOf: [
      { $ref: '#/components/schemas/Page' },
      { properties: { items: { type: 'array', items: { $ref: `#/components/schemas/${item}` } } } },
    ],
  });
  const schemas = {
    Page: object({ total: number }),
    Track: object({ title: text }),
    Tracks: paging('Track'),
    Album: object({ tracks: { $ref: '#/components/schemas/Tracks', description: 'Of this album' } }),
    Albums: paging('Album'),
  };
  const albums = returning({ $ref: '#/components/schemas/Albums' });

  it('are exact although the base is used again further down', async () => {
    const { method, report } = await importOne(albums, { components: { schemas } });
    expect(report.fidelity).toBe('exact');
    const tracks = { type: 'object', description: 'Of this album', properties: { total: number } };
    expect(method.outputSchema.properties).toMatchObject({
      items: { items: { properties: { tracks } } },
    });
  });

  it('are the same whatever was converted before', async () => {
    const get = (name: string) => ({ get: returning({ $ref: `#/components/schemas/${name}` }) });
    const root = { openapi: '3.1.0', components: { schemas } };
    const alone = await importJson({ ...root, paths: { '/albums': get('Albums') } });
    const after = await importJson({ ...root, paths: { '/album': get('Album'), '/albums': get('Albums') } });
    expect(after.methods[1]).toEqual(alone.methods[0]);
  });
});
