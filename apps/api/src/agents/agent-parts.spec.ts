import { describe, expect, it } from '@jest/globals';
import { checkLocalTools, checkTools, checkVariables } from './agent-parts.ts';

const TOOL = '0191f0e4-0000-7000-8000-000000000001';
const local = (more: object) => [{ name: 'open_door', description: '', inputSchema: {}, ...more }];

describe('checkVariables', () => {
  it('takes what the contract knows, null as absent', () => {
    const variables = [
      { name: 'city' },
      { name: 'tone', required: false, description: 'How', default: '' },
      { name: 'x', required: null, description: null, default: null },
    ];
    expect(checkVariables(variables, 'variables')).toEqual([]);
    expect(checkVariables(undefined, 'variables')).toEqual([]);
  });

  it('names each wrong field', () => {
    expect(checkVariables({}, 'variables')).toEqual(['variables must be an array']);
    expect(checkVariables([5, [], null], 'variables')).toEqual([
      'variables[0] must be an object',
      'variables[1] must be an object',
      'variables[2] must be an object',
    ]);
    expect(
      checkVariables(
        [{ name: 'query' }, { name: 'a', required: 'yes', default: 5, more: 1 }, { name: 'a' }],
        'v',
      ),
    ).toEqual([
      'v[0].name must not be the reserved name query',
      'v[1].more is not a known field',
      'v[1].required must be a boolean',
      'v[1].default must be a text',
      'v[2].name is given twice',
    ]);
    expect(checkVariables([{}], 'v')).toEqual(['v[0].name must be a text']);
  });
});

describe('checkTools', () => {
  it('takes ids of tools and names of built-in ones, all methods or some', () => {
    expect(
      checkTools(
        [{ toolId: TOOL, methods: null }, { toolId: 'web_search', methods: ['search'] }, { toolId: 'x' }],
        't',
      ),
    ).toEqual([]);
  });

  it('names each wrong field', () => {
    expect(
      checkTools(
        [
          { toolId: 'No-Tool', methods: 'all' },
          { toolId: TOOL, methods: [''] },
        ],
        't',
      ),
    ).toEqual([
      't[0].toolId must be the id of a tool or the name of a built-in one',
      't[0].methods must be an array of at most 1000 method names, or null for all',
      't[1].methods must be an array of at most 1000 method names, or null for all',
    ]);
    expect(checkTools([{ toolId: TOOL }, { toolId: TOOL }], 't')).toEqual(['t[1].toolId is given twice']);
  });

  it('takes 128 and no more', () => {
    const tools = Array.from({ length: 129 }, (_, i) => ({ toolId: `tool_${i}` }));
    expect(checkTools(tools.slice(1), 't')).toEqual([]);
    expect(checkTools(tools, 't')).toEqual(['t must have at most 128 items']);
  });
});

describe('lists that are far too long', () => {
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, 1]));

  it('get one short problem', () => {
    expect(checkVariables(Array(700_000).fill({ name: 'a' }), 'v')).toEqual([
      'v must have at most 128 items',
    ]);
    expect(checkTools([{ toolId: TOOL, methods: Array(1001).fill('m') }], 't')).toHaveLength(1);
    expect(checkVariables([{ name: 'a', ...keys }], 'v')).toEqual(['v[0] must have at most 500 keys']);
    expect(checkLocalTools(local(keys), 'l')).toEqual(['l[0] must have at most 500 keys']);
  });
});

describe('checkLocalTools', () => {
  it('takes names of 1 to 64 characters', () => {
    expect(checkLocalTools(local({ name: 'a' }), 'l')).toEqual([]);
    expect(checkLocalTools(local({ name: 'a'.repeat(64) }), 'l')).toEqual([]);
    for (const name of ['', 'a'.repeat(65), 'a b', 'ä', 5]) {
      expect(checkLocalTools(local({ name }), 'l')).toEqual([
        'l[0].name must be 1 to 64 letters, digits, _ or -',
      ]);
    }
  });

  it('wants description and schema', () => {
    expect(checkLocalTools([{ name: 'a' }], 'l')).toEqual([
      'l[0].description must be a text',
      'l[0].inputSchema must be a JSON Schema object',
    ]);
    expect(checkLocalTools(local({ inputSchema: [] }), 'l')).toEqual([
      'l[0].inputSchema must be a JSON Schema object',
    ]);
  });

  it('bounds the depth and the size of the schema', () => {
    const nested = (depth: number): object => (depth === 1 ? {} : { items: nested(depth - 1) });
    expect(checkLocalTools(local({ inputSchema: nested(16) }), 'l')).toEqual([]);
    expect(checkLocalTools(local({ inputSchema: nested(17) }), 'l')).toEqual([
      'l[0].inputSchema must not be nested deeper than 16 levels',
    ]);
    const sized = (bytes: number) => ({ title: 'x'.repeat(bytes - '{"title":""}'.length) });
    expect(checkLocalTools(local({ inputSchema: sized(65_536) }), 'l')).toEqual([]);
    expect(checkLocalTools(local({ inputSchema: sized(65_537) }), 'l')).toEqual([
      'l[0].inputSchema must not be larger than 65536 bytes',
    ]);
  });
});
