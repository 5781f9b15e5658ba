import { importDocument } from '../import-document.ts';
import type { ImportedMethod } from '../types.ts';
import { convertCurl } from './curl-document.ts';

async function importCurl(command: string) {
  const { text, auth, notes } = convertCurl(command);
  const { methods, servers, title, fidelity } = await importDocument({ text });
  expect(methods).toHaveLength(1);
  expect(fidelity).toBe(1);
  const method = methods[0] as ImportedMethod;
  const { properties = {}, required = [] } = method.inputSchema as {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  const ports = method.bindings.map(({ port, in: place }) => `${place} ${port}`);
  return { ...method, server: servers[0]?.url, title, ports, properties, required, auth, notes };
}

it('makes a method of the verb, the address, the query, the headers, and the JSON body', async () => {
  const method = await importCurl(String.raw`
    $ curl -sSLX POST 'https://api.example.com/v1/orders?expand=lines&limit=5' \
      --header "X-Api-Version: 2024-01" \
      -H 'Content-Type: application/json' \
      --data-raw $'{"customer":"Zoë\'s","lines":[{"sku":"a","price":1.5}],"gift":false,"note":null}'
  `);
  expect(method).toMatchObject({
    title: 'api.example.com',
    server: 'https://api.example.com',
    httpMethod: 'post',
    path: '/v1/orders',
    name: 'post_v1_orders',
    bodyMediaType: 'application/json',
    ports: [
      'query expand',
      'query limit',
      'header X-Api-Version',
      'body customer',
      'body lines',
      'body gift',
      'body note',
    ],
    properties: {
      expand: { type: 'string', examples: ['lines'] },
      limit: { type: 'integer', examples: [5] },
      'X-Api-Version': { type: 'string', examples: ['2024-01'] },
      customer: { type: 'string', examples: ["Zoë's"] },
      lines: {
        type: 'array',
        items: { type: 'object', properties: { sku: { type: 'string' }, price: { type: 'number' } } },
      },
      gift: { type: 'boolean' },
      note: { isPort: true },
    },
    required: ['X-Api-Version', 'customer', 'lines', 'gift', 'note'],
    auth: null,
    notes: [],
  });
  expect(method.properties.note).not.toHaveProperty('type');
});

it.each<[string, string, Record<string, unknown>]>([
  ['no options', 'curl example.com', { server: 'http://example.com', httpMethod: 'get', path: '/' }],
  ['--flag=value', 'curl --request=PUT --url=http://h/x', { httpMethod: 'put', path: '/x' }],
  ['a value that is written to its flag', 'curl -XDELETE http://h/x', { httpMethod: 'delete' }],
  [
    'flags that are written together',
    `curl -skd'{"a":1}' http://h`,
    { httpMethod: 'post', ports: ['body a'] },
  ],
  ['options whose values are no addresses', 'curl -o out -m 5 --retry 3 -x p:1 http://h/x', { path: '/x' }],
  [
    '-G',
    'curl -G http://h/x?a=1 -d b=2 --data-urlencode "c=x y&z"',
    { httpMethod: 'get', ports: ['query a', 'query b', 'query c'] },
  ],
  ['-I', 'curl -I http://h', { httpMethod: 'head' }],
  ['--json', `curl --json '{"a":1}' http://h`, { httpMethod: 'post', bodyMediaType: 'application/json' }],
  [
    'an urlencoded form',
    'curl -d a=1 -d b=x%20y -d b=z http://h',
    {
      bodyMediaType: 'application/x-www-form-urlencoded',
      properties: { a: { type: 'integer' }, b: { type: 'array', examples: [['x y', 'z']] } },
    },
  ],
  [
    'a form with a file',
    'curl -F "doc=@a.pdf;type=application/pdf" -F title=T -F "n=1;type=text/plain" http://h',
    {
      bodyMediaType: 'multipart/form-data',
      properties: {
        doc: { type: 'string', format: 'binary' },
        title: { type: 'string' },
        n: { type: 'integer' },
      },
    },
  ],
  [
    'a body of a file',
    'curl -H "Content-Type: text/csv" --data-binary @a.csv http://h',
    { bodyMediaType: 'text/csv', ports: ['body body'] },
  ],
  ['an uploaded file', 'curl -T a.bin http://h/x', { httpMethod: 'put', ports: ['body body'] }],
  [
    'text',
    `curl -H 'content-type: application/xml' -d '<a/>' http://h`,
    {
      bodyMediaType: 'application/xml',
      properties: { body: { type: 'string', examples: ['<a/>'] } },
    },
  ],
  [
    'variables in the path',
    'curl "https://h/users/{user}/items/:item?x=:y"',
    {
      path: '/users/{user}/items/{item}',
      ports: ['path user', 'path item', 'query x'],
    },
  ],
  [
    'values that are not numbers',
    'curl "http://h?a=007&b=1e3&c=9007199254740993&d=-1.50&e=-1.5"',
    {
      properties: {
        a: { type: 'string' },
        b: { type: 'string' },
        c: { type: 'string' },
        d: { type: 'string' },
        e: { type: 'number' },
      },
    },
  ],
  [
    'headers that a browser adds',
    `curl http://h -H 'sec-fetch-mode: cors' -H 'User-Agent: x' -H 'accept: */*' -H 'X-A: 1'`,
    { ports: ['header X-A'] },
  ],
  ['a prompt, a path, and a pipe', '$ /usr/bin/curl http://h/x | jq .', { path: '/x' }],
])('reads a command with %s', async (_, command, expected) => {
  expect(await importCurl(command)).toMatchObject(expected);
});

describe('credentials', () => {
  it.each<[string, string, object]>([
    ['a bearer token', `-H 'Authorization: Bearer s3cret'`, { type: 'bearer' }],
    ['basic authentication', `-H 'authorization: Basic s3cret'`, { type: 'basic', username: '' }],
    ['another scheme', `-H 'Authorization: Token s3cret'`, { type: 'header', name: 'Authorization' }],
    ['a user', `-u ann:s3cret`, { type: 'basic', username: 'ann' }],
    ['a header for the key', `-H 'X-Api-Key: s3cret'`, { type: 'header', name: 'X-Api-Key' }],
    ['another header for the key', `-H 'X-Vault-Token: s3cret'`, { type: 'header', name: 'X-Vault-Token' }],
    ['a cookie', `-b session=s3cret`, { type: 'apiKey', in: 'cookie', name: 'session' }],
    ['an OAuth token', `--oauth2-bearer s3cret`, { type: 'bearer' }],
  ])('are left out, and their kind is suggested: %s', async (_, options, auth) => {
    const command = `curl 'http://h/x?page_token=p' -H 'Idempotency-Key: k' ${options}`;
    const method = await importCurl(command);
    expect(method.auth).toEqual(auth);
    expect(method.ports).toEqual(['query page_token', 'header Idempotency-Key']);
    expect(method.notes.at(-1)).toContain('enter them under Authentication');
    expect(JSON.stringify(convertCurl(command))).not.toContain('s3cret');
  });

  it.each([
    `-H 'Content-Type: application/json' -d '{"user":"ann","password":"s3cret","more":{"apiKey":"s3cret"}}'`,
    `-d user=ann -d client_secret=s3cret`,
    `-F user=ann -F token=s3cret -F token=s3cret`,
    `-H 'X-Session-Id: s3cret' -d user=ann`,
  ])('are no examples: %s', async (options) => {
    const command = `curl http://h/login ${options}`;
    const { properties } = await importCurl(command);
    expect(properties.user).toMatchObject({ type: 'string', examples: ['ann'] });
    expect(JSON.stringify(properties)).not.toContain('s3cret');
    expect(JSON.stringify(convertCurl(command))).not.toContain('s3cret');
  });

  it.each<[string, object]>([
    ['http://h/x?api_key=s3cret', { type: 'apiKey', in: 'query', name: 'api_key' }],
    ['http://ann:s3cret@h/x', { type: 'basic', username: 'ann' }],
  ])('are left out of the address %s', async (address, auth) => {
    const method = await importCurl(`curl '${address}'`);
    expect([method.auth, method.server, method.ports]).toEqual([auth, 'http://h', []]);
    expect(JSON.stringify(convertCurl(`curl '${address}'`))).not.toContain('s3cret');
  });
});

it.each([
  ['wget http://h', 'not a curl command'],
  ['', 'not a curl command'],
  ['curl', 'no address'],
  ['curl -X', 'has no value'],
  ['curl ftp://h/x', 'not an http or https address'],
  ['curl -X PURGE http://h', 'cannot send PURGE'],
  [`curl 'http://h`, 'without its end'],
  [`curl http://h -d '${'x'.repeat(200_000)}'`, 'too long'],
])('says what is wrong with %.30s', (command, message) => {
  expect(() => convertCurl(command)).toThrow(message);
});

it('says what is left out', async () => {
  const notes = async (command: string) => (await importCurl(command)).notes;
  expect(await notes(`curl -X GET http://h -d '{"a":1}'`)).toEqual([
    expect.stringContaining('sends no body with GET'),
  ]);
  expect(await notes(`curl http://h -d '{"a":$A}'`)).toEqual([expect.stringContaining('not valid JSON')]);
  expect(await notes('curl --cert c http://h http://i')).toEqual([
    expect.stringContaining('--cert'),
    expect.stringContaining('first address'),
  ]);
});

it('bounds the schema of a large example', async () => {
  const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i])));
  for (const body of [deep, wide]) {
    const { inputSchema } = await importCurl(`curl http://h -d '${body}'`);
    expect(JSON.stringify(inputSchema).length).toBeLessThan(300_000);
  }
});
