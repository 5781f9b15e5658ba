import { describe, expect, it } from '@jest/globals';
import type { TFunction } from 'i18next';
import { getNumberProblem, parseJson, parseJsonObject, parseJsonObjects, parseSchema } from './parse-json.ts';

const t = ((key: string, values?: object) =>
  `${key} ${JSON.stringify(values ?? {})}`) as unknown as TFunction;

describe('a JSON text', () => {
  it.each([
    ['{"orderId": 9007199254740993}', 'orderId', '9007199254740992'],
    ['{"a": {"b c": [1, {"d": "x"}, {"id": -9223372036854775809}]}}', 'a.b c[2].id', '-9223372036854776000'],
    [
      '{"a": ["9007199254740993", 9007199254740992e0, 123456789012345678901]}',
      'a[2]',
      '123456789012345680000',
    ],
    ['{"a": "9007199254740993, \\"b\\": 1", "b": 9007199254740993.0}', 'b', '9007199254740992'],
  ])('with an integer that a number does not hold is refused: %s', (text, path, stored) => {
    expect(parseJsonObject(text)).toBeUndefined();
    expect(parseJsonObjects(`[${text}]`)).toBeUndefined();
    expect(getNumberProblem(text, t)).toBe(`jsonNumbers.inexactAt ${JSON.stringify({ path, stored })}`);
  });

  it('with a number that is too large is refused', () => {
    expect(parseJsonObject('{"a": [1e400]}')).toBeUndefined();
    expect(getNumberProblem('{"a": [1e400]}', t)).toBe('jsonNumbers.largeAt {"path":"a[0]"}');
    expect(getNumberProblem('-1e400', t)).toBe('jsonNumbers.large {}');
    expect(getNumberProblem('9007199254740993', t)).toBe('jsonNumbers.inexact {"stored":"9007199254740992"}');
  });

  it.each([
    '{"id": "9007199254740993"}',
    '{"9007199254740993": 1}',
    '{"id": 9007199254740992, "other": -9007199254740991}',
    '{"fraction": 0.1234567890123456789, "small": 1e-400}',
    '{"large": 1e22, "same": 9223372036854776000, "zero": 0.000000000000000000}',
    '{"text": "a \\\\", "id": 1}',
  ])('is kept: %s', (text) => {
    expect(parseJsonObject(text)).toEqual(JSON.parse(text));
    expect(getNumberProblem(text, t)).toBeNull();
  });

  it('is kept if it is a schema, whose bounds can be any numbers', () => {
    const text = '{"maximum": 9223372036854775807}';
    expect(parseJsonObject(text)).toBeUndefined();
    expect(parseSchema(text)).toEqual({ maximum: 9223372036854776000 });
    expect(parseSchema('[1]')).toBeUndefined();
  });

  it('has no numbers if it is not JSON', () => {
    expect(parseJson('{"a": 9007199254740993')).toBeUndefined();
    expect(getNumberProblem('{"a": 9007199254740993', t)).toBeNull();
    expect(getNumberProblem('{a: 9007199254740993}', t)).toBeNull();
    expect(parseJson(' null ')).toBeNull();
  });
});
