import { createRequire } from 'node:module';
import { importDocument } from '@platform/openapi-import';
import { readFiles } from './http-request-files.ts';
import { buildRequest, type HttpRequest } from './http-request.ts';
import { MethodSchemasService } from './method-schemas.service.ts';

/** The part of `swagger-client` that builds requests. It is independent of ours and reads the same documents. */
interface Peer {
  buildRequest(options: {
    spec: unknown;
    operationId: string;
    parameters?: Record<string, unknown>;
    requestBody?: unknown;
    requestContentType?: string;
  }): { url: string; headers: Record<string, string>; body?: unknown };
}
const peer = createRequire(import.meta.url)('swagger-client/lib/execute/index.js') as Peer;

const NO_AUTH = { headers: [], query: [], cookies: [], secrets: [] };
const SERVER = 'https://api.example.com/v1';
const OPENAPI = { openapi: '3.0.4', info: { title: 'T', version: '1' }, servers: [{ url: SERVER }] };
const SWAGGER = {
  swagger: '2.0',
  info: { title: 'T', version: '1' },
  host: 'api.example.com',
  basePath: '/v1',
  schemes: ['https'],
};

const VALUES: Record<string, unknown> = {
  string: 'blue',
  'special characters': "a b/c?d&e=f,g;h'i%é+#[1]",
  'empty string': '',
  zero: 0,
  number: 1.5,
  true: true,
  false: false,
  null: null,
  list: ['blue', 'black', 'brown'],
  'special list': ['a,b', 'c d', 'e|f'],
  'list of one': ['blue'],
  'empty list': [],
  object: { R: 100, G: 200, B: 150 },
  'special object': { 'a b': 'c&d', e: 'f=g' },
  'empty object': {},
  'nested object': { a: { b: 'c' }, d: ['e', 'f'] },
};

interface Case {
  in: string;
  style?: string;
  explode?: boolean;
  allowReserved?: boolean;
  collectionFormat?: string;
  kind: string;
}

/** Where the peer differs, and why ours is right. The first that matches counts. */
const REASONS: [reason: string, applies: (one: Case) => boolean][] = [
  [
    'RFC 6570: an empty text has no equals sign in style matrix',
    ({ style, kind }) => style === 'matrix' && kind === 'empty string',
  ],
  [
    'A path segment that is empty, or a dot, would name another resource: the call is refused',
    ({ in: place, kind }) => place === 'path' && /empty|null/.test(kind),
  ],
  [
    'OpenAPI 3.0.4 follows RFC 6570: values of a label without explode are separated by commas',
    ({ style }) => style === 'label',
  ],
  [
    'The peer does not send an empty string, which differs from an absent value',
    ({ kind }) => kind === 'empty string',
  ],
  ['RFC 6570: an empty list or object is not sent', ({ kind }) => kind.startsWith('empty ')],
  [
    'Style form encodes every reserved character, in cookies as well',
    ({ in: place, kind }) => place === 'cookie' && kind === 'special characters',
  ],
  [
    'The peer joins lists and objects in cookies to one encoded text; ours are readable by any cookie parser',
    ({ in: place }) => place === 'cookie',
  ],
  [
    'Not defined for lists and nested values: numbered brackets, which servers that parse brackets understand',
    ({ style, kind }) => style === 'deepObject' && /list|nested/.test(kind),
  ],
  [
    'An unencoded #, &, or + would end the value or change it, and OpenAPI has callers encode them; brackets around names are encoded',
    ({ allowReserved }) => allowReserved === true,
  ],
  [
    'OpenAPI 3.0.4: values of objects are separated like those of lists, and the pipe is encoded',
    ({ style }) => style === 'pipeDelimited' || style === 'spaceDelimited',
  ],
  [
    'The delimiter is encoded: a pipe must not occur in a URL',
    ({ collectionFormat }) => collectionFormat === 'pipes',
  ],
];

async function ours(spec: unknown, input: Record<string, unknown>): Promise<HttpRequest> {
  const { methods, servers } = await importDocument({ text: JSON.stringify(spec) });
  const [imported] = methods;
  if (!imported) throw new Error('no method');
  const method = { encoding: null, ...imported, serverUrl: servers[0]?.url ?? '' };
  const { values, problems } = await readFiles(method, input, undefined);
  expect(problems).toEqual([]);
  return buildRequest(method, NO_AUTH, values);
}

/** What a parameter becomes: the part of the request that it can change. */
function partOf(
  place: string,
  { url, headers }: { url: string | URL; headers: Record<string, string> },
): string {
  const header = { header: 'X-Color', cookie: 'Cookie' }[place];
  return header === undefined ? new URL(url).href.slice(SERVER.length) : (headers[header] ?? 'not sent');
}

async function compare(one: Case): Promise<{ ours: string; theirs: string }> {
  const { in: place, kind, style, explode, allowReserved, collectionFormat } = one;
  const value = VALUES[kind];
  const name = place === 'header' ? 'X-Color' : 'color';
  const type = Array.isArray(value) ? 'array' : value === null ? 'string' : typeof value;
  const schema = { type, ...(type === 'array' && { items: {} }) };
  const parameter =
    collectionFormat === undefined
      ? { style, explode, allowReserved, schema }
      : { ...(collectionFormat !== 'default' && { collectionFormat }), ...schema };
  const spec = {
    ...(collectionFormat === undefined ? OPENAPI : SWAGGER),
    paths: {
      [place === 'path' ? '/things/{color}/parts' : '/things']: {
        get: {
          operationId: 'find',
          parameters: [{ name, in: place, required: place === 'path', ...parameter }],
          responses: { 200: { description: 'OK' } },
        },
      },
    },
  };
  const input = { [name]: value };
  const own = await ours(spec, input).then(
    (request) => partOf(place, request),
    (error: unknown) => `refused: ${(error as Error).message}`,
  );
  const quiet = JSON.parse(JSON.stringify(spec)) as unknown;
  return {
    ours: own,
    theirs: partOf(place, peer.buildRequest({ spec: quiet, operationId: 'find', parameters: input })),
  };
}

/** Asserts that every case is equal, or differs for a known reason. Returns the differences by reason. */
async function findDifferences(cases: Omit<Case, 'kind'>[], kinds = Object.keys(VALUES)) {
  const differences: Record<string, string[]> = {};
  const unexplained: string[] = [];
  for (const how of cases)
    for (const kind of kinds) {
      const one = { ...how, kind };
      const { ours: own, theirs } = await compare(one);
      if (own === theirs) continue;
      const { in: place, ...rest } = one;
      const line = `${place} ${Object.values(rest).map(String).join(' ')}: ${own} (not ${theirs})`;
      const [reason] = REASONS.find(([, applies]) => applies(one)) ?? [];
      if (reason === undefined) unexplained.push(line);
      else (differences[reason] ??= []).push(line);
    }
  expect(unexplained).toEqual([]);
  return differences;
}

const explodes = [undefined, false, true];

describe('requests are those of an independent client', () => {
  it.each([
    ['path', ['simple', 'label', 'matrix']],
    ['query', ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']],
    ['header', ['simple']],
    ['cookie', ['form']],
  ])('for parameters in the %s: every style, explode, and type', async (place, styles) => {
    const cases = [
      { in: place },
      ...styles.flatMap((style) => explodes.map((explode) => ({ in: place, style, explode }))),
    ];
    expect(await findDifferences(cases)).toMatchSnapshot();
  });

  it('for reserved characters', async () => {
    const cases = ['form', 'deepObject'].flatMap((style) =>
      [false, true].map((explode) => ({ in: 'query', style, explode, allowReserved: true })),
    );
    const kinds = ['string', 'special characters', 'special list', 'special object'];
    expect(await findDifferences(cases, kinds)).toMatchSnapshot();
  });

  it('for the collection formats of Swagger 2.0', async () => {
    const formats = ['default', 'csv', 'ssv', 'tsv', 'pipes', 'multi'];
    const cases = formats.map((collectionFormat) => ({ in: 'query', collectionFormat }));
    const kinds = ['string', 'zero', 'false', 'list', 'special list', 'list of one', 'empty list'];
    expect(await findDifferences(cases, kinds)).toMatchSnapshot();
  });
});

interface BodyCase {
  mediaType: string;
  value: unknown;
  schema?: unknown;
  encoding?: Record<string, unknown>;
}

async function compareBodies({ mediaType, value, schema, encoding }: BodyCase) {
  const fields =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const spec = {
    ...OPENAPI,
    paths: {
      '/things': {
        post: {
          operationId: 'make',
          requestBody: {
            content: {
              [mediaType]: {
                schema: schema ?? {
                  ...(fields.length > 0 && {
                    type: 'object',
                    properties: Object.fromEntries(fields.map((name) => [name, {}])),
                  }),
                },
                ...(encoding && { encoding }),
              },
            },
          },
          responses: { 200: { description: 'OK' } },
        },
      },
    },
  };
  const request = await ours(spec, fields.length > 0 ? (value as Record<string, unknown>) : { body: value });
  const theirs = peer.buildRequest({
    spec: JSON.parse(JSON.stringify(spec)),
    operationId: 'make',
    requestBody: value,
    requestContentType: mediaType,
  });
  return { request, theirs };
}

describe('bodies are those of an independent client', () => {
  it.each<[string, BodyCase]>([
    [
      'an object',
      { mediaType: 'application/json', value: { a: 'x', b: 0, c: false, d: '', e: null, f: [1, { g: 2 }] } },
    ],
    ['a list', { mediaType: 'application/json', value: [1, 'a', null] }],
    ['a type based on JSON', { mediaType: 'application/vnd.api+json', value: { data: { id: '1' } } }],
    ['a type with parameters', { mediaType: 'application/json; charset=utf-8', value: { a: 'é' } }],
  ])('for JSON: %s', async (_, one) => {
    const { request, theirs } = await compareBodies(one);
    expect(JSON.parse(request.body?.toString() ?? '')).toEqual(theirs.body);
    expect(request.headers['Content-Type']).toBe(theirs.headers['Content-Type']);
  });

  const form = 'application/x-www-form-urlencoded';
  it.each<[string, BodyCase]>([
    [
      'texts, numbers, and booleans',
      { mediaType: form, value: { a: 'x y&z=+é', b: 1.5, c: true, d: false, e: 0 } },
    ],
    ['an empty text', { mediaType: form, value: { a: '', b: 'x' } }],
    ['an object as JSON', { mediaType: form, value: { a: { b: 1, c: ['d'] } } }],
    [
      'a list as JSON',
      { mediaType: form, value: { a: ['b', 'c'] }, encoding: { a: { contentType: 'application/json' } } },
    ],
    ...['form', 'spaceDelimited', 'deepObject'].flatMap((style): [string, BodyCase][] =>
      [true, false].map((explode) => [
        `style ${style}, explode ${explode}`,
        {
          mediaType: form,
          value: style === 'deepObject' ? { a: { b: 'c d', e: 1 } } : { a: ['b', 'c d'] },
          encoding: { a: { style, explode } },
        },
      ]),
    ),
  ])('for a form: %s', async (_, one) => {
    const { request, theirs } = await compareBodies(one);
    expect(request.body?.toString()).toBe(theirs.body);
    expect(request.headers['Content-Type']).toBe(theirs.headers['Content-Type']);
  });

  it('for a form: a list repeats its field, where the peer joins it', async () => {
    const { request, theirs } = await compareBodies({ mediaType: form, value: { a: ['b', 'c d'] } });
    expect([request.body?.toString(), theirs.body]).toEqual(['a=b&a=c%20d', 'a=b,c%20d']);
  });

  it('for a form of Swagger 2.0: every collection format', async () => {
    for (const collectionFormat of ['csv', 'ssv', 'tsv', 'multi']) {
      const list = { name: 'a', in: 'formData', type: 'array', items: { type: 'string' }, collectionFormat };
      const spec = {
        ...SWAGGER,
        paths: {
          '/things': {
            post: {
              operationId: 'make',
              consumes: [form],
              parameters: [list, { name: 'n', in: 'formData', type: 'integer' }],
              responses: {},
            },
          },
        },
      };
      const input = { a: ['b', 'c d'], n: 0 };
      const request = await ours(spec, input);
      const theirs = peer.buildRequest({ spec, operationId: 'make', parameters: input });
      expect(request.body?.toString()).toBe(theirs.body);
    }
  });

  const multipart = 'multipart/form-data';
  const file = Buffer.from([0, 1, 2, 255]);
  it.each<[string, BodyCase]>([
    [
      'texts, numbers, and booleans',
      { mediaType: multipart, value: { a: 'x\r\ny "é"', b: 1.5, c: true, d: false } },
    ],
    ['an object as JSON', { mediaType: multipart, value: { a: { b: 1 } } }],
    [
      'a list that repeats its field',
      { mediaType: multipart, value: { a: ['b', 'c'] }, encoding: { a: { style: 'form' } } },
    ],
    [
      'a list that is joined',
      { mediaType: multipart, value: { a: ['b', 'c'] }, encoding: { a: { style: 'form', explode: false } } },
    ],
  ])('for multipart: %s', async (_, one) => {
    const { request, theirs } = await compareBodies(one);
    expect(await fieldsOf(request)).toEqual(await formFields(theirs.body as FormData));
  });

  it('for multipart: a part with a media type, which is no file', async () => {
    const { request, theirs } = await compareBodies({
      mediaType: multipart,
      value: { a: ['b'] },
      encoding: { a: { contentType: 'application/json' } },
    });
    const [part] = await formFields(theirs.body as FormData);
    expect(part).toEqual({ name: 'a', text: '["b"]', type: 'application/json' });
    expect(await fieldsOf(request)).toEqual([{ name: 'a', text: '["b"]', type: null }]);
    expect(request.body?.toString()).toContain(
      'Content-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n["b"]\r\n',
    );
  });

  it('for multipart: files', async () => {
    const schema = {
      type: 'object',
      properties: {
        one: { type: 'string', format: 'binary' },
        many: { type: 'array', items: { type: 'string', format: 'binary' } },
        name: { type: 'string' },
      },
    };
    const value = { one: file.toString('base64'), many: [file.toString('base64'), 'aGk='], name: 'n' };
    const { request } = await compareBodies({ mediaType: multipart, value, schema });
    // The peer takes the bytes themselves.
    const bytes = { one: file, many: [file, Buffer.from('hi')], name: 'n' };
    const { theirs } = await compareBodies({ mediaType: multipart, value: bytes });
    const [own, other] = [await fieldsOf(request), await formFields(theirs.body as FormData)];
    expect(own.map(({ name, text }) => [name, text])).toEqual(other.map(({ name, text }) => [name, text]));
    expect(own.map(({ type }) => type)).toEqual([...Array<string>(3).fill('application/octet-stream'), null]);
  });

  it('for text and binary', async () => {
    const text = await compareBodies({ mediaType: 'text/plain', value: 'héllo\n' });
    expect(text.request.body?.toString()).toBe(text.theirs.body);
    expect(text.request.headers['Content-Type']).toBe(text.theirs.headers['Content-Type']);
    const xml = await compareBodies({
      mediaType: 'application/xml',
      value: '<a/>',
      schema: { type: 'string' },
    });
    expect(xml.request.body?.toString()).toBe(xml.theirs.body);
    const png = { mediaType: 'image/png', schema: { type: 'string', format: 'binary' } };
    const image = await compareBodies({ ...png, value: file.toString('base64') });
    expect([image.request.body, image.request.headers['Content-Type']]).toEqual([file, 'image/png']);
  });
});

describe('bodies of imported methods', () => {
  /** The body that is sent for an input, as text; null for none. */
  async function bodyOf(requestBody: object, input: Record<string, unknown>): Promise<string | null> {
    const text = JSON.stringify({ ...OPENAPI, paths: { '/': { post: { requestBody, responses: {} } } } });
    const { methods } = await importDocument({ text });
    const [method] = methods;
    if (method === undefined) throw new Error('The operation was not imported');
    const { body } = buildRequest({ encoding: null, ...method, serverUrl: SERVER }, NO_AUTH, input);
    return body === null ? null : body.toString();
  }
  const json = (schema: object) => ({ 'application/json': { schema: { type: 'object', ...schema } } });
  const properties = { a: { type: 'string' }, b: { type: 'string' } };

  it('that are optional are not sent without input, unless they may be empty', async () => {
    const content = json({ properties, required: ['a'] });
    expect(await bodyOf({ content }, {})).toBeNull();
    expect(await bodyOf({ content }, { a: 'x' })).toBe('{"a":"x"}');
    expect(await bodyOf({ content: json({ properties }), required: true }, {})).toBe('{}');
  });

  it('that are optional are not sent without the only field that they have and need', async () => {
    const content = json({ properties: { a: properties.a }, required: ['a'] });
    expect(await bodyOf({ content }, {})).toBeNull();
    expect(await bodyOf({ content }, { a: 'x' })).toBe('{"a":"x"}');
  });

  describe('with keys that the caller chooses', () => {
    /** The request and what is wrong with the input. */
    async function requestOf(operation: object, input: Record<string, unknown>) {
      const paths = { '/': { post: { responses: {}, ...operation } } };
      const { methods, report } = await importDocument({ text: JSON.stringify({ ...OPENAPI, paths }) });
      const [method] = methods;
      if (method === undefined) throw new Error('The operation was not imported');
      expect(report[0]?.fidelity).toBe('exact');
      const { values } = await readFiles(method, input, undefined);
      return {
        request: buildRequest({ encoding: null, ...method, serverUrl: SERVER }, NO_AUTH, values),
        validate: (given: Record<string, unknown>) =>
          new MethodSchemasService().validateInput({ id: 'm', version: '1', ...method }, given),
      };
    }
    const map = {
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: { type: 'integer' },
    };
    const body = (type: string, schema: object = map) => ({
      requestBody: { required: true, content: { [type]: { schema } } },
    });
    const input = { body: { a: 'x', 'my key': 1, n: 2 } };

    it('are JSON', async () => {
      const { request, validate } = await requestOf(body('application/json'), input);
      expect(request.body?.toString()).toBe('{"a":"x","my key":1,"n":2}');
      expect(validate(input)).toEqual([]);
      expect(() => validate({ body: { n: 'two' } })).toThrow('input.body.n must be integer');
    });

    it('are fields of a form', async () => {
      const { request } = await requestOf(body('application/x-www-form-urlencoded'), input);
      expect(request.body?.toString()).toBe('a=x&my%20key=1&n=2');
    });

    it('are parts of a form, and files', async () => {
      const files = { type: 'object', additionalProperties: { type: 'string', format: 'binary' } };
      const { request } = await requestOf(body('multipart/form-data', files), {
        body: {
          'one.bin': Buffer.from('one').toString('base64'),
          two: Buffer.from('two').toString('base64'),
        },
      });
      expect(await fieldsOf(request)).toEqual([
        { name: 'one.bin', text: 'one', type: 'application/octet-stream' },
        { name: 'two', text: 'two', type: 'application/octet-stream' },
      ]);
    });

    it.each([
      ['form', true, '?my%20key=1&n=2'],
      ['form', false, '?filter=my%20key,1,n,2'],
      ['deepObject', true, '?filter%5Bmy%20key%5D=1&filter%5Bn%5D=2'],
    ])('are in the query, in style %s with explode %s', async (style, explode, search) => {
      const schema = { type: 'object', additionalProperties: { type: 'integer' } };
      const parameters = [{ name: 'filter', in: 'query', style, explode, schema }];
      const filter = { 'my key': 1, n: 2 };
      const { request, validate } = await requestOf({ parameters }, { filter });
      expect(request.url.search).toBe(search);
      expect(validate({ filter })).toEqual([]);
      expect(() => validate({ filter: { n: 'two' } })).toThrow('input.filter.n must be integer');
    });
  });
});

interface FormField {
  name: string;
  text: string;
  type: string | null;
}

/** Reads a form with the parser of Node.js. */
async function fieldsOf({ headers, body }: HttpRequest): Promise<FormField[]> {
  const type = headers['Content-Type'] ?? '';
  return formFields(
    await new Response(new Uint8Array(body ?? []), { headers: { 'Content-Type': type } }).formData(),
  );
}

async function formFields(form: FormData): Promise<FormField[]> {
  return Promise.all(
    [...form.entries()].map(async ([name, value]) =>
      typeof value === 'string'
        ? { name, text: value, type: null }
        : { name, text: Buffer.from(await value.arrayBuffer()).toString('latin1'), type: value.type },
    ),
  );
}
