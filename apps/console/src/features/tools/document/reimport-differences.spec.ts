import { describe, expect, it } from '@jest/globals';
import type { MethodComparison } from '@platform/openapi-import';
import { changeDecisions, describePlace, formatValue, suggestDecisions } from './reimport-differences.ts';

const at = (...path: string[]) => describePlace({ path, origin: 'document' });

describe('the place of a difference', () => {
  it('names properties instead of keywords', () => {
    expect(at('description')).toEqual({ field: 'description', part: '' });
    expect(at('inputSchema', 'properties', 'address', 'properties', 'tags', 'items', 'type')).toEqual({
      field: 'inputSchema',
      part: 'address.tags[] · type',
    });
    expect(at('outputSchema', 'required')).toEqual({ field: 'outputSchema', part: 'required' });
    expect(at('bindings', 'tag', 'in')).toEqual({ field: 'bindings', part: 'tag · in' });
  });

  it('tells properties that are called like keywords', () => {
    expect(at('inputSchema', 'properties', 'properties', 'properties', 'items', 'type').part).toBe(
      'properties.items · type',
    );
  });
});

it('shows a value in one line of bounded length', () => {
  expect([undefined, 'text', 5, null, ['a'], { a: 1 }].map(formatValue)).toEqual([
    null,
    'text',
    '5',
    'null',
    '["a"]',
    '{"a":1}',
  ]);
  expect(formatValue('x'.repeat(1_000))).toHaveLength(301);
});

describe('decisions', () => {
  const comparison = (name: string, kind: MethodComparison['kind']): MethodComparison => ({
    name,
    kind,
    httpMethod: 'get',
    path: '/',
    operationKey: '',
    differences: [],
    breaking: [],
    preference: name === 'broken' ? 'document' : 'edit',
  });
  const all = [
    comparison('a', 'changed'),
    comparison('broken', 'changed'),
    comparison('gone', 'removed'),
    comparison('new', 'added'),
    comparison('same', 'unchanged'),
  ];

  it('suggest to take what has changed, and neither to delete nor to add', () => {
    expect([...suggestDecisions(all)]).toEqual([
      ['a', 'edit'],
      ['broken', 'document'],
    ]);
  });

  it('keep what was decided for a method when others change', () => {
    const decided = new Map([['a', 'document']] as const);
    expect([...changeDecisions(decided, all.slice(0, 3), true)]).toEqual([
      ['a', 'document'],
      ['broken', 'document'],
      ['gone', 'edit'],
    ]);
    expect([...changeDecisions(decided, all, false)]).toEqual([]);
  });
});
