import { parseDocument } from './parse-document.ts';

const minimal = { openapi: '3.0.0', paths: { '/a': { get: {} } } };
const json = JSON.stringify(minimal);
const yaml = 'openapi: 3.0.0\npaths:\n  /a:\n    get: {}\n';

describe('the format', () => {
  it.each([
    ['JSON, because it starts with a brace', { text: json }],
    ['JSON with a byte order mark', { text: `\ufeff${json}` }],
    ['JSON by its Content-Type', { text: ` \n${json}`, contentType: 'application/json; charset=utf-8' }],
    ['YAML', { text: yaml }],
    ['YAML with a JSON Content-Type', { text: yaml, contentType: 'application/json' }],
    ['YAML with a byte order mark', { text: `\ufeff${yaml}` }],
    ['a .json file', { text: json, fileName: 'api.JSON' }],
    ['a .yaml file', { text: yaml, fileName: 'api.yaml' }],
    ['a .yml file', { text: yaml, fileName: 'api.yml' }],
  ])('is %s', (_, source) => {
    expect(parseDocument(source).root).toMatchObject({ paths: { '/a': { get: {} } } });
  });

  it.each(['api.txt', 'api.zip', 'api', 'json'])('is rejected for the file %s', (fileName) => {
    expect(() => parseDocument({ text: json, fileName })).toThrow('is not a .json, .yaml, or .yml file');
  });
});

describe('the type', () => {
  it.each([
    ['openapi', '3.2.0', 'openapi3'],
    ['openapi', 3.1, 'openapi3'],
    ['openapi', '2', 'openapi3'],
    ['openapi', null, 'openapi3'],
    ['swagger', '2.0', 'swagger2'],
    ['swagger', 2, 'swagger2'],
  ])('is decided by the field %s alone, with the version %j', (field, version, kind) => {
    expect(
      parseDocument({ text: JSON.stringify({ ...minimal, openapi: undefined, [field]: version }) }).kind,
    ).toBe(kind);
  });

  it('is OpenAPI if both fields are present', () => {
    expect(parseDocument({ text: JSON.stringify({ swagger: '2.0', ...minimal }) }).kind).toBe('openapi3');
  });
});

describe('a text that is not a document', () => {
  const nested = `{"openapi":"3","paths":{"/a":{"get":{"x":${'['.repeat(600)}${']'.repeat(600)}}}}}`;
  const bomb = `openapi: 3.0.0\na0: &a0 [x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`).join('\n')}\npaths: {/a: {get: {x-a: *a30}}}\n`;

  it.each([
    ['is empty', '', 'is empty'],
    ['is neither JSON nor YAML', 'a: b: c: [', 'neither valid JSON nor valid YAML'],
    ['is broken JSON', '{"openapi": "3.0.0",', 'not valid JSON'],
    ['is a list', '- a\n- b\n', 'must be an object with an openapi or a swagger field'],
    ['is a sentence', 'Not found', 'must be an object with an openapi or a swagger field'],
    ['is an HTML page', '<!doctype html><html></html>', 'HTML page'],
    ['has neither field', '{"paths":{"/a":{}}}', 'must be an object with an openapi or a swagger field'],
    ['has no paths', '{"openapi":"3.0.0"}', 'must have a non-empty paths object'],
    ['has empty paths', '{"openapi":"3.0.0","paths":{}}', 'must have a non-empty paths object'],
    ['has a list of paths', '{"openapi":"3.0.0","paths":["/a"]}', 'must have a non-empty paths object'],
    ['has webhooks only', '{"openapi":"3.1.0","webhooks":{"a":{}}}', 'only webhooks'],
    ['is too large', `{"openapi":"3.0.0","x":"${'x'.repeat(21 * 1024 * 1024)}"}`, 'at most 20 MB'],
    ['is nested too deep', nested, 'nested more than 500 levels'],
    ['is a bomb of YAML aliases', bomb, 'too large once its YAML aliases are expanded'],
    ['contains itself', 'openapi: 3.0.0\npaths: &p {/a: {get: {x-a: *p}}}\n', 'refers to its own ancestor'],
  ])('%s', (_, text, message) => {
    expect(() => parseDocument({ text })).toThrow(message);
  });
});

describe('YAML', () => {
  const parse = (text: string) =>
    parseDocument({ text: `openapi: 3.0.0\npaths: {/a: {get: {}}}\n${text}` }).root;

  it('supports anchors and merge keys', () => {
    expect(parse('x-a: &a {b: 1}\nx-c: {<<: *a, d: 2}\n')['x-c']).toEqual({ b: 1, d: 2 });
  });

  it('keeps the digits of integers that a number cannot hold, as in JSON', () => {
    const digits = ['9007199254740993', '-9223372036854775808', '18446744073709551615'];
    const fromYaml = parse(`x-a: [${digits.join(', ')}]`)['x-a'];
    const fromJson = parseDocument({ text: json.replace('{', `{"x-a":[${digits.join(',')}],`) }).root['x-a'];
    expect(fromYaml).toEqual(digits);
    expect(fromJson).toEqual(digits);
    expect(
      parse('x-a: [+9007199254740993, 0xFFFFFFFFFFFFFFFF, 9007199254740991, 0x10, 1e400]')['x-a'],
    ).toEqual(['9007199254740993', '18446744073709551615', 9007199254740991, 16, '1e400']);
  });

  it('keeps dates as strings, tolerates duplicate keys, and ignores unknown tags', () => {
    const root = parse(
      'x-date: 2024-01-01\nx-a: {b: 1, b: 2}\nx-u: !<tag:yaml.org,2002:js/undefined> ""\nx-v: !custom {c: 1}\n',
    );
    expect(root).toMatchObject({ 'x-date': '2024-01-01', 'x-a': { b: 2 }, 'x-u': '', 'x-v': { c: 1 } });
  });
});

it.each([
  json.replace('{}', '{"__proto__":{"polluted":true}}'),
  `${yaml}x-a:\n  __proto__:\n    polluted: true\n`,
])('drops __proto__ keys', (text) => {
  const { root } = parseDocument({ text });
  expect(JSON.stringify(root)).not.toContain('polluted');
  expect((root['x-a'] as { polluted?: unknown } | undefined)?.polluted).toBeUndefined();
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
