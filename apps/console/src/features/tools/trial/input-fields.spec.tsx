import { describe, expect, it } from '@jest/globals';
import type { MethodBinding } from '@platform/contracts';
import { formatValue, getKindOf, listInputFields, parseText, withValue } from './input-fields.ts';

const list = (properties: Record<string, unknown>, bindings: MethodBinding[] = [], required: string[] = []) =>
  listInputFields({ inputSchema: { type: 'object', properties, required }, bindings });

describe('the fields of an input', () => {
  it('are what the method needs first, each with its kind and place', () => {
    const fields = list(
      {
        verbose: { type: 'boolean' },
        unit: { enum: ['cd', 'lx', 7] },
        limit: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        either: { type: ['string', 'null'] },
        light: { type: 'string', description: 'Which one.' },
      },
      [
        { port: 'light', in: 'path', name: 'light' },
        { port: 'limit', in: 'query', name: 'limit' },
      ],
      ['tags'],
    );
    expect(fields?.map(({ name, kind, required, place }) => [name, kind, required, place])).toEqual([
      ['tags', 'json', true, null],
      ['light', 'text', true, 'path'],
      ['verbose', 'boolean', false, null],
      ['unit', 'choice', false, null],
      ['limit', 'integer', false, 'query'],
      ['either', 'json', false, null],
    ]);
    expect(fields?.[1]).toMatchObject({ description: 'Which one.', type: 'string' });
    expect(fields?.[3]?.choices).toEqual(['cd', 'lx', 7]);
  });

  it('are not a form if there are none, or more than sixty', () => {
    expect(list({})).toBeNull();
    const many = Array.from({ length: 61 }, (_, i) => [`port${i}`, { type: 'string' }]);
    expect(list(Object.fromEntries(many) as Record<string, unknown>)).toBeNull();
    expect(list(Object.fromEntries(many.slice(1)) as Record<string, unknown>)).toHaveLength(60);
  });

  it('accept schemas that are no objects', () => {
    expect(list({ any: true, none: false })?.map(({ kind }) => kind)).toEqual(['json', 'json']);
  });
});

describe('a value', () => {
  const [text, count, flag, unit] =
    list({
      text: { type: 'string' },
      count: { type: 'number' },
      flag: { type: 'boolean' },
      unit: { enum: ['a'] },
    }) ?? [];

  it('is edited as JSON if it is not of the declared type', () => {
    const kinds = [text, count, flag, unit].map((field) => field && getKindOf(field, { a: 1 }));
    expect(kinds).toEqual(['json', 'json', 'json', 'json']);
    const own = [text, count, flag, unit].map(
      (field, i) => field && getKindOf(field, ['a', 1, true, 'a'][i]),
    );
    expect(own).toEqual(['text', 'number', 'boolean', 'choice']);
  });

  it('is formatted and parsed by its kind', () => {
    expect(formatValue('text', 'a "b"')).toBe('a "b"');
    expect(formatValue('json', ['a'])).toBe('[\n  "a"\n]');
    expect(formatValue('number', undefined)).toBe('');
    expect(parseText('text', '', true)).toEqual({ value: '' });
    expect(parseText('text', '', false)).toEqual({ value: undefined });
    expect(parseText('text', ' 7 ', false)).toEqual({ value: ' 7 ' });
    expect(parseText('number', ' 7.5 ', false)).toEqual({ value: 7.5 });
    expect(parseText('number', 'seven', false)).toEqual({ problem: 'NOT_A_NUMBER' });
    expect(parseText('integer', '7.5', false)).toEqual({ problem: 'NOT_AN_INTEGER' });
    expect(parseText('json', '{"a":', false)).toEqual({ problem: 'NOT_JSON' });
    expect(parseText('json', '[9007199254740993]', false)).toEqual({ problem: 'INEXACT_NUMBER' });
    expect(parseText('integer', '9007199254740993', false)).toEqual({ problem: 'INEXACT_NUMBER' });
    expect(parseText('number', '1e400', false)).toEqual({ problem: 'INEXACT_NUMBER' });
    expect(parseText('json', ' ', true)).toEqual({ value: undefined });
  });

  it('keeps the digits of an integer of 64 bits, as a text if a number does not', () => {
    const id = { type: ['integer', 'string'], format: 'int64', pattern: '^-?[0-9]{1,19}$' };
    const [field] = list({ id }) ?? [];
    expect(field?.kind).toBe('largeInteger');
    expect(field && getKindOf(field, '9007199254740993')).toBe('largeInteger');
    expect(field && getKindOf(field, 'seven')).toBe('json');
    expect(formatValue('largeInteger', '9007199254740993')).toBe('9007199254740993');
    expect(formatValue('largeInteger', 7)).toBe('7');
    expect(parseText('largeInteger', ' 9007199254740993 ', false)).toEqual({ value: '9007199254740993' });
    expect(parseText('largeInteger', '-7', false)).toEqual({ value: -7 });
    expect(parseText('largeInteger', '7.5', false)).toEqual({ problem: 'NOT_AN_INTEGER' });
    expect(list({ tags: { type: ['integer', 'string'] } })?.[0]?.kind).toBe('json');
  });

  it('replaces the one before in its place, is added, or is left out', () => {
    expect(JSON.stringify(withValue({ a: 1, b: 2 }, 'a', 3))).toBe('{"a":3,"b":2}');
    expect(JSON.stringify(withValue({ a: 1 }, '__proto__', 3))).toBe('{"a":1,"__proto__":3}');
    expect(withValue({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  });
});
