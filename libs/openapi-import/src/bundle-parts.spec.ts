import { OpenDocument } from './import-document.ts';

const ROOT = 'file:///api/openapi.yaml';

async function open(files: Record<string, string>, url = ROOT) {
  const loaded: string[] = [];
  const load = (part: string) => {
    loaded.push(part);
    const text = files[part];
    return text === undefined
      ? Promise.reject(new Error('There is no such file'))
      : Promise.resolve({ text });
  };
  const document = await OpenDocument.parse({ text: files[url] ?? '', parts: { url, load } });
  return { document, loaded };
}

const FILES = {
  [ROOT]: `
openapi: 3.1.0
paths: { $ref: paths/index.yaml }
components: { schemas: { Owner: { type: object, properties: { name: { type: string } } } } }
`,
  'file:///api/paths/index.yaml': `
/pets: { $ref: ./pets.yaml }
/owners: { post: { $ref: 'owners.json#/create' } }
`,
  'file:///api/paths/pets.yaml': `
get:
  operationId: listPets
  responses: { 200: { content: { application/json: { schema: { $ref: '../schemas/Pet.yaml' } } } } }
`,
  'file:///api/paths/owners.json': JSON.stringify({
    create: {
      operationId: 'createOwner',
      responses: {},
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '../openapi.yaml#/components/schemas/Owner' } } },
      },
    },
  }),
  'file:///api/schemas/Pet.yaml': `
type: object
properties: { id: { type: string }, kind: { $ref: '#/definitions/Kind' }, friend: { $ref: 'Pet.yaml' } }
definitions: { Kind: { enum: [cat, dog] } }
`,
};

it('reads a document of several files, each relative to its own place, and each once', async () => {
  const { document, loaded } = await open(FILES);
  expect(document.partProblems).toEqual([]);
  expect(document.operations.map(({ name }) => name)).toEqual(['listPets', 'createOwner']);
  expect(document.convert('/pets', 'get').method?.outputSchema).toMatchObject({
    properties: { id: { type: 'string' }, kind: { enum: ['cat', 'dog'] }, friend: { type: 'object' } },
  });
  expect(document.convert('/owners', 'post').method?.bindings).toEqual([
    { port: 'name', in: 'body', name: 'name' },
  ]);
  expect(loaded.sort()).toEqual(
    Object.keys(FILES)
      .filter((url) => url !== ROOT)
      .sort(),
  );
});

it('says which part cannot be loaded, and imports the rest', async () => {
  const { 'file:///api/schemas/Pet.yaml': _, ...rest } = FILES;
  const { document } = await open(rest);
  expect(document.partProblems).toEqual(['api/schemas/Pet.yaml: There is no such file']);
  const { report } = document.convert('/pets', 'get');
  expect(report.reasons[0]?.reason).toContain('leads to another document');
});

it('loads neither more than a thousand parts nor more than 20 MB', async () => {
  const link = (i: number) => JSON.stringify({ next: { $ref: `p${i + 1}.json` } });
  const url = 'https://api.example.com/p0.json';
  let loads = 0;
  const { partProblems } = await OpenDocument.parse({
    text: JSON.stringify({
      openapi: '3.1.0',
      paths: { '/a': { get: { responses: {}, 'x-next': { $ref: 'p1.json' } } } },
    }),
    parts: { url, load: () => Promise.resolve({ text: link(++loads) }) },
  });
  expect(loads).toBe(1_000);
  expect(partProblems).toEqual([
    'Documents that are referred to and were not read: 1, because at most 1000 are',
  ]);
  const large = 'x'.repeat(9 * 1024 * 1024);
  const { partProblems: tooLarge } = await OpenDocument.parse({
    text: JSON.stringify({
      openapi: '3.1.0',
      paths: {
        '/a': { get: { responses: {}, parameters: [1, 2, 3, 4].map((i) => ({ $ref: `${i}.json` })) } },
      },
    }),
    parts: { url, load: () => Promise.resolve({ text: JSON.stringify({ large }) }) },
  });
  expect(tooLarge).toHaveLength(2);
});

it('asks for no more than a thousand parts if none can be read, and says so', async () => {
  const parameters = Array.from({ length: 5_000 }, (_, i) => ({ $ref: `gone/${i}.json` }));
  let loads = 0;
  const { partProblems } = await OpenDocument.parse({
    text: JSON.stringify({ openapi: '3.1.0', paths: { '/a': { get: { responses: {}, parameters } } } }),
    parts: {
      url: 'https://api.example.com/openapi.json',
      load: () => {
        loads++;
        return Promise.reject(new Error('There is no such file'));
      },
    },
  });
  expect(loads).toBe(1_000);
  expect(partProblems).toHaveLength(21);
  expect(partProblems.at(-1)).toBe(
    'Documents that are referred to and were not read: 4000, because at most 1000 are',
  );
});

it('finds what a document that is alone refers to by its own name', async () => {
  const url = 'https://api.example.com/v1/openapi.yaml';
  const text = `
openapi: 3.1.0
paths: { /pets: { get: { responses: { 200: { content: { application/json: { schema: { $ref: 'openapi.yaml#/components/schemas/Pet' } } } } } } } }
components: { schemas: { Pet: { type: object, properties: { id: { type: string } } } } }
`;
  const { document, loaded } = await open({ [url]: text }, url);
  expect([loaded, document.partProblems]).toEqual([[], []]);
  const { method, report } = document.convert('/pets', 'get');
  expect(method?.outputSchema).toMatchObject({ properties: { id: { type: 'string' } } });
  expect(report.fidelity).toBe('exact');
});
