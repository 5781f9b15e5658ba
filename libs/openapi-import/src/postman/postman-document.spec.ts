import { importDocument } from '../import-document.ts';
import type { ImportResult } from '../types.ts';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const importItems = (item: unknown[], more: object = {}): Promise<ImportResult> =>
  importDocument({ text: JSON.stringify({ info: { name: 'Shop', schema: SCHEMA }, item, ...more }) });
const variable = [
  { key: 'baseUrl', value: 'https://{{host}}/v1' },
  { key: 'host', value: 'api.example.com' },
  { key: 'apiSecret', value: 'hidden', type: 'secret' },
];
const raw = (text: string, more: object = {}) => ({ mode: 'raw', raw: text, ...more });
const post = (body: object, more: object = {}) => ({
  name: 'Add order',
  request: { method: 'POST', url: '{{baseUrl}}/orders', body, ...more },
});
const propertiesOf = (result: ImportResult) => result.methods[0]?.inputSchema.properties;

describe('a Postman collection', () => {
  it('becomes methods, with folders as tags and variables filled in', async () => {
    const request = {
      method: 'GET',
      description: { content: 'Finds one' },
      url: {
        raw: '{{baseUrl}}/orders/:id/{{part}}?limit=10&tag=a&tag=b&off=1#top',
        query: [
          { key: 'limit', value: '10', description: 'How many' },
          { key: 'tag', value: 'a' },
          { key: 'tag', value: 'b' },
          { key: 'off', value: '1', disabled: true },
          { key: 'api_key', value: 'abc123' },
        ],
        variable: [{ key: 'id', value: '7', description: 'Of the order' }],
      },
      header: [
        { key: 'X-Region', value: 'eu' },
        { key: 'Authorization', value: 'Bearer abc' },
        { key: 'X-Api-Key', value: '{{apiSecret}}' },
      ],
    };
    const response = [
      { code: 404, body: '{"no":1}' },
      { code: 200, body: '{"id":7,"lines":[{"sku":"a"}]}' },
    ];
    const folder = { name: 'Orders', item: [{ name: 'Get order', request, response }] };
    const result = await importItems([folder], { variable });
    expect(result).toMatchObject({
      kind: 'postman',
      title: 'Shop',
      servers: [{ url: 'https://api.example.com/v1' }],
    });
    expect(result.report).toMatchObject([{ fidelity: 'exact', reasons: [] }]);
    expect(result.methods).toMatchObject([
      {
        name: 'Get_order',
        description: 'Get order\n\nFinds one',
        httpMethod: 'get',
        path: '/orders/{id}/{part}',
        tags: ['Orders'],
        inputSchema: {
          required: ['id', 'part'],
          properties: {
            id: { type: 'integer', description: 'Of the order' },
            part: { type: 'string' },
            limit: { type: 'integer', description: 'How many', examples: [10] },
            tag: { type: 'array', items: { type: 'string' } },
            off: { type: 'integer' },
            'X-Region': { type: 'string', examples: ['eu'] },
          },
        },
        outputSchema: {
          properties: {
            id: { type: 'integer' },
            lines: { type: 'array', items: { properties: { sku: { type: 'string' } } } },
          },
        },
      },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/abc|hidden/);
  });

  it('infers bodies of JSON, in which variables are values, and keeps no secrets', async () => {
    const text = '{"name":"{{who}}","count":{{count}},"host":"{{host}}","password":"hunter2"}';
    const result = await importItems([post(raw(text))], { variable });
    expect(result.methods[0]).toMatchObject({ bodyMediaType: 'application/json' });
    expect(propertiesOf(result)).toMatchObject({
      name: { type: 'string' },
      count: {},
      host: { examples: ['api.example.com'] },
      password: { type: 'string' },
    });
    expect(result.methods[0]?.inputSchema.required).toBeUndefined();
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });

  it.each([
    [
      'application/x-www-form-urlencoded',
      { mode: 'urlencoded', urlencoded: [{ key: 'a', value: '1' }] },
      { a: { type: 'integer' } },
    ],
    [
      'multipart/form-data',
      {
        mode: 'formdata',
        formdata: [
          { key: 'a', type: 'file' },
          { key: 'b', value: 'x', type: 'text' },
        ],
      },
      { a: { type: 'string', format: 'binary' }, b: { type: 'string' } },
    ],
    ['application/octet-stream', { mode: 'file' }, { body: { format: 'binary' } }],
    ['application/xml', raw('<a/>', { options: { raw: { language: 'xml' } } }), { body: { type: 'string' } }],
    ['application/json', { mode: 'graphql', graphql: { query: '{a}' } }, { query: { type: 'string' } }],
  ])('sends %s', async (mediaType, body, properties) => {
    const result = await importItems([post(body)]);
    expect(result.methods[0]?.bodyMediaType).toBe(mediaType);
    expect(propertiesOf(result)).toMatchObject(properties);
  });

  it('says what is lost: scripts, of folders as well, bodies that are not JSON, and repeated requests', async () => {
    const event = [{ listen: 'test', script: { exec: ['pm.test()'] } }];
    const empty = [{ listen: 'prerequest', script: { exec: [''] } }];
    const broken = { ...post(raw('{"a":', { options: { raw: { language: 'json' } } })), event: empty };
    const link = { name: 'Link', request: { method: 'LINK', url: 'https://a.example/x' } };
    const result = await importItems([{ name: 'F', event, item: [broken, post(raw('{}')), link] }]);
    expect(result.methods).toHaveLength(1);
    expect(result.report).toMatchObject([
      {
        fidelity: 'simplified',
        reasons: [
          { pointer: '/item/0/item/0/event', reason: 'Its test script is not imported' },
          { pointer: '/item/0/item/0/request/body', reason: expect.stringContaining('not valid JSON') },
        ],
      },
      { fidelity: 'skipped', reasons: [{ reason: expect.stringContaining('same verb and path') }] },
      { fidelity: 'skipped', reasons: [{ reason: 'Its verb is not supported' }] },
    ]);
    expect(result.fidelity).toBe(0);
  });

  it('fills in the variables of folders and requests before those of the collection', async () => {
    const get = (name: string, more: object = {}) => ({
      name,
      request: { method: 'GET', url: `{{baseUrl}}/${name}/{{part}}/{{apiSecret}}` },
      ...more,
    });
    const inner = { name: 'In', item: [get('c')], variable: [{ key: 'part', value: '{{shop}}-inner' }] };
    const secret = [{ key: 'part', value: 'hidden', type: 'secret' }];
    const folder = {
      name: 'Out',
      item: [get('b'), inner, get('d', { variable: secret })],
      variable: [
        { key: 'part', value: 'outer' },
        { key: 'shop', value: 's1' },
        { key: 'host', value: 'folder.example.com' },
      ],
    };
    const part = { key: 'part', value: 'all' };
    const result = await importItems([get('a'), folder, get('e')], { variable: [...variable, part] });
    expect(result.methods.map(({ path, serverUrl }) => [path, serverUrl])).toEqual([
      ['/a/all/{apiSecret}', 'https://api.example.com/v1'],
      ['/b/outer/{apiSecret}', undefined],
      ['/c/s1-inner/{apiSecret}', undefined],
      ['/d/{part}/{apiSecret}', undefined],
      ['/e/all/{apiSecret}', 'https://api.example.com/v1'],
    ]);
    expect(result.servers[0]?.url).toBe('https://folder.example.com/v1');
  });

  it('keeps variables that are not known as those of the server, and other servers with their methods', async () => {
    const get = (url: string) => ({ name: url, request: url });
    const items = ['{{root}}/a', '{{root}}/b', 'other.example/c', 'https://third.example'].map(get);
    const { servers, methods } = await importItems(items);
    expect(servers[0]?.url).toBe('{root}');
    expect(methods.map(({ path, serverUrl }) => [path, serverUrl])).toEqual([
      ['/a', undefined],
      ['/b', undefined],
      ['/c', 'http://other.example'],
      ['/', 'https://third.example'],
    ]);
  });

  it.each([
    ['an old version', { info: { schema: SCHEMA.replaceAll('v2.1', 'v1.0') } }, 'export it as v2.1'],
    ['no requests', {}, 'has no requests'],
    ['only requests without an address', { item: [{ name: 'A', request: {} }] }, 'has no address'],
  ])('is refused with %s', async (_name, more, message) => {
    await expect(importItems([], more)).rejects.toThrow(message);
  });

  it('bounds folders, requests, and what variables expand to', async () => {
    const many = Array.from({ length: 5_001 }, (_, i) => ({ request: `https://a.example/${i}` }));
    const quotes = post(raw(`{"a": ${'"\\"'.repeat(150_000)}`));
    expect((await importItems([quotes])).report[0]?.fidelity).toBe('simplified');
    expect((await importItems(many)).methods).toHaveLength(5_000);
    const deep = (levels: number): object => ({
      item: levels === 0 ? [post(raw('{}'))] : [deep(levels - 1)],
    });
    await expect(importItems([deep(30)])).rejects.toThrow('20 levels');
    const bomb = [
      { key: 'a', value: '{{b}}'.repeat(300) },
      { key: 'b', value: '{{c}}'.repeat(300) },
      { key: 'c', value: 'x'.repeat(1_900) },
    ];
    const text = JSON.stringify({ a: '{{a}}' });
    const result = await importItems([post(raw(text))], { variable: bomb });
    expect(JSON.stringify(result).length).toBeLessThan(100_000);
  });
});
