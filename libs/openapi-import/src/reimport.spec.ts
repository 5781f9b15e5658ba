import { OpenDocument } from './import-document.ts';
import { Reimport, toMethodRequest, type StoredMethod } from './reimport.ts';

const TEXT = { type: 'string' };

interface Shape {
  verb?: string;
  path?: string;
  operationId?: string;
  description?: string;
  query?: Record<string, object>;
  required?: string[];
  output?: object;
}

function operation({
  operationId = 'getPet',
  description = 'Reads a pet',
  query = {},
  required = [],
  output,
}: Shape) {
  const schema = output ?? { type: 'object', properties: { id: TEXT, name: TEXT } };
  return {
    operationId,
    description,
    parameters: Object.entries(query).map(([name, one]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema: one,
    })),
    responses: { 200: { content: { 'application/json': { schema } } } },
  };
}

function open(...shapes: Shape[]): Promise<OpenDocument> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const shape of shapes) {
    const { path = '/pets', verb = 'get' } = shape;
    paths[path] = { ...paths[path], [verb]: operation(shape) };
  }
  return OpenDocument.parse({ text: JSON.stringify({ openapi: '3.1.0', paths }) });
}

/** The methods of a document as the service stores them. */
async function store(...shapes: Shape[]): Promise<StoredMethod[]> {
  const { methods } = (await open(...shapes)).convertAll();
  return methods.map((method) => ({
    ...method,
    serverUrl: method.serverUrl ?? null,
    imported: toMethodRequest(method).imported ?? null,
  }));
}

async function storeOne(shape: Shape): Promise<StoredMethod> {
  const [stored] = await store(shape);
  if (stored === undefined) throw new Error('Nothing was imported');
  return stored;
}

async function compareOne(before: Shape, after: Shape, edit: Partial<StoredMethod> = {}) {
  const reimport = new Reimport(await open(after), [{ ...(await storeOne(before)), ...edit }]);
  const [comparison] = reimport.comparisons;
  if (comparison === undefined) throw new Error('The method was not compared');
  const merged = (preference = comparison.preference) =>
    reimport.merge([{ name: comparison.name, preference }]).update[0]?.change;
  return { ...comparison, merged };
}

describe('comparing', () => {
  it('finds what is new, gone, changed, and the same', async () => {
    const stored = await store(
      { operationId: 'same' },
      { path: '/b', operationId: 'gone' },
      { path: '/c', operationId: 'other' },
    );
    const after = await open(
      { operationId: 'same' },
      { path: '/c', operationId: 'other', description: 'Says more' },
      { path: '/d', operationId: 'new' },
    );
    const reimport = new Reimport(after, stored);
    expect(reimport.comparisons.map(({ name, kind }) => [name, kind])).toEqual([
      ['same', 'unchanged'],
      ['gone', 'removed'],
      ['other', 'changed'],
      ['new', 'added'],
    ]);
    const decisions = ['gone', 'other', 'new'].map((name) => ({ name, preference: 'edit' as const }));
    expect(reimport.merge(decisions)).toMatchObject({
      add: [{ name: 'new', path: '/d', imported: { operationKey: 'GET /d' } }],
      update: [{ name: 'other', change: { description: 'Says more' } }],
      remove: ['gone'],
    });
    expect(reimport.merge([])).toEqual({ add: [], update: [], remove: [] });
  });

  it.each<[string, Shape, Shape?]>([
    ['a new path', { path: '/animals' }],
    ['another verb', { verb: 'post' }],
    ['another operationId', { operationId: 'readPet' }],
    [
      'another path and no operationId',
      { operationId: '', path: '/pets/{petId}' },
      { operationId: '', path: '/pets/{id}' },
    ],
  ])('finds a method again with %s, and keeps its name', async (_, after, before = {}) => {
    const { name, path, merged } = await compareOne(before, after, { name: 'renamed' });
    expect([name, path]).toEqual(['renamed', after.path ?? '/pets']);
    expect(merged()).not.toHaveProperty('name');
    expect(merged()).toMatchObject({ path: after.path ?? '/pets', httpMethod: after.verb ?? 'get' });
  });

  it('gives a new method another name if its own is taken', async () => {
    const stored = await storeOne({ operationId: 'first' });
    const after = await open({ operationId: 'first' }, { path: '/b', operationId: 'SECOND' });
    const reimport = new Reimport(after, [{ ...stored, name: 'Second' }]);
    expect(reimport.comparisons[1]).toMatchObject({ kind: 'added', name: 'SECOND_2' });
    expect(reimport.merge([{ name: 'SECOND_2', preference: 'edit' }]).add).toMatchObject([
      { name: 'SECOND_2', path: '/b', imported: { name: 'SECOND' } },
    ]);
  });

  it('leaves methods alone that were added by hand, unless the document has them', async () => {
    const own = { ...(await storeOne({})), imported: null, name: 'own', description: 'Mine' };
    const other = new Reimport(await open({}), [{ ...own, path: '/own', operationKey: 'GET /own' }]);
    expect(other.comparisons.map(({ kind }) => kind)).toEqual(['added']);
    const { kind, preference, merged } = await compareOne({}, {}, own);
    expect([kind, preference]).toEqual(['changed', 'edit']);
    expect(merged()).toMatchObject({ description: 'Mine', imported: { description: 'Reads a pet' } });
  });

  it('does not trust what is stored as the last import', async () => {
    const { imported } = await storeOne({});
    for (const broken of [{}, { inputSchema: 1 }, { ...imported, bindings: [null] }]) {
      expect((await compareOne({}, {}, { imported: broken })).kind).toBe('unchanged');
    }
  });
});

describe('what breaks', () => {
  const PETS = { query: { tag: TEXT, limit: { type: 'integer', enum: [1, 2] } } };

  it.each<[string, Shape, object[]]>([
    ['nothing', PETS, []],
    ['an optional input is new', { query: { ...PETS.query, page: TEXT } }, []],
    [
      'an input accepts more',
      { query: { tag: { type: ['string', 'null'] }, limit: { type: 'number' } } },
      [],
    ],
    [
      'a required input is new',
      { query: { ...PETS.query, key: TEXT }, required: ['key'] },
      [{ kind: 'required', place: 'key' }],
    ],
    ['an input is required now', { ...PETS, required: ['tag'] }, [{ kind: 'required', place: 'tag' }]],
    ['an input is gone', { query: { limit: PETS.query.limit } }, [{ kind: 'removed', place: 'tag' }]],
    [
      'an input has another type',
      { query: { ...PETS.query, tag: { type: 'integer' } } },
      [{ kind: 'type', place: 'tag', from: 'string', to: 'integer' }],
    ],
    [
      'an input accepts fewer values',
      { query: { ...PETS.query, limit: { type: 'integer', enum: [2] } } },
      [{ kind: 'values', place: 'limit', from: '1' }],
    ],
    [
      'the path is another one',
      { ...PETS, path: '/v2/pets' },
      [{ kind: 'endpoint', place: '', from: 'GET /pets', to: 'GET /v2/pets' }],
    ],
    [
      'a field of the output is gone',
      { ...PETS, output: { type: 'object', properties: { id: TEXT } } },
      [{ kind: 'outputRemoved', place: 'name' }],
    ],
    [
      'a field of the output has another type',
      { ...PETS, output: { type: 'object', properties: { id: { type: 'integer' }, name: TEXT } } },
      [{ kind: 'outputType', place: 'id', from: 'string', to: 'integer' }],
    ],
  ])('if %s', async (_, after, expected) => {
    expect((await compareOne(PETS, after)).breaking).toEqual(expected);
  });

  it('is found in nested objects and lists', async () => {
    const body = (street: object) => ({
      type: 'array',
      items: { type: 'object', properties: { address: { type: 'object', properties: { street } } } },
    });
    const { breaking } = await compareOne(
      { query: { a: body(TEXT) }, output: body(TEXT) },
      { query: { a: body({ type: 'integer' }) }, output: body({ type: 'integer' }) },
    );
    expect(breaking.map(({ kind, place }) => [kind, place])).toEqual([
      ['type', 'a[].address.street'],
      ['outputType', '[].address.street'],
    ]);
  });

  it('counts for an edited method as well: the document has changed, not the edit', async () => {
    const { breaking } = await compareOne(PETS, PETS, { inputSchema: { type: 'object', properties: {} } });
    expect(breaking).toEqual([]);
  });
});

describe('merging', () => {
  it('keeps edits, takes what the document has changed, and remembers the import', async () => {
    const before = { query: { tag: TEXT } };
    const after = { query: { tag: TEXT, page: { type: 'integer' } }, description: 'Reads a pet' };
    const inputSchema = {
      type: 'object',
      properties: { tag: { ...TEXT, isPort: true, description: 'A color' } },
    };
    const { kind, merged } = await compareOne(before, after, { inputSchema, description: 'Finds a pet' });
    expect(kind).toBe('changed');
    expect(merged()).toMatchObject({
      description: 'Finds a pet',
      inputSchema: {
        properties: {
          tag: { type: 'string', isPort: true, description: 'A color' },
          page: { type: 'integer', isPort: true },
        },
      },
      bindings: [
        { port: 'tag', in: 'query', name: 'tag' },
        { port: 'page', in: 'query', name: 'page' },
      ],
      imported: { description: 'Reads a pet', operationKey: 'GET /pets' },
    });
    for (const field of ['name', 'cache', 'retry', 'timeoutMs', 'enabled'])
      expect(merged()).not.toHaveProperty(field);
  });

  it('prefers an edit in a conflict, unless the API does not accept it anymore', async () => {
    const text = await compareOne({}, { description: 'Theirs' }, { description: 'Mine' });
    expect(text).toMatchObject({
      preference: 'edit',
      differences: [{ path: ['description'], origin: 'conflict' }],
    });
    expect([text.merged()?.description, text.merged('document')?.description]).toEqual(['Mine', 'Theirs']);

    const inputSchema = {
      type: 'object',
      properties: { tag: { type: 'string', isPort: true, maxLength: 3 } },
    };
    const shape = await compareOne({ query: { tag: TEXT } }, { query: {} }, { inputSchema });
    expect(shape).toMatchObject({ preference: 'document', breaking: [{ kind: 'removed', place: 'tag' }] });
    expect(shape.merged()).toMatchObject({ inputSchema: { properties: {} }, bindings: [] });
    // A port that is kept against the document can still be sent.
    expect(shape.merged('edit')).toMatchObject({
      inputSchema,
      bindings: [{ port: 'tag', in: 'query', name: 'tag' }],
    });
  });

  it('has nothing to do if the document is the same, whatever was edited', async () => {
    const { kind, differences } = await compareOne({}, {}, { description: 'Mine' });
    expect(kind).toBe('unchanged');
    expect(differences).toMatchObject([{ path: ['description'], origin: 'edit' }]);
  });

  it('follows the document in all that decides about the request', async () => {
    const { merged } = await compareOne({}, { path: '/v2/pets', verb: 'post' });
    expect(merged()).toMatchObject({
      httpMethod: 'post',
      path: '/v2/pets',
      operationKey: 'POST /v2/pets',
      acts: true,
    });
  });
});
