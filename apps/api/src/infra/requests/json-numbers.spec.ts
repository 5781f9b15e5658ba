import { numberProblems, quoteInexactNumbers } from './json-numbers.ts';

const problemsOf = (json: string) => numberProblems(Buffer.from(json));
const inexact = (path: string, kept: string) =>
  `${path} is an integer that a number cannot hold exactly: it would become ${kept}; send it as a string`;

describe('numbers of JSON texts', () => {
  it.each([
    ['{"id":9007199254740993}', inexact('id', '9007199254740992')],
    ['{"a":{"b":[1,{"c":-9223372036854775807}]}}', inexact('a.b[1].c', '-9223372036854776000')],
    ['[0, 9007199254740993.0]', inexact('[1]', '9007199254740992')],
    ['{"a":[],"e":900719925474099300e-2}', inexact('e', '9007199254740992')],
    ['{"a":"9007199254740993","b\\"\\u00e9":9007199254740993}', inexact('b"é', '9007199254740992')],
    ['{"a":1e400}', 'a is too large a number'],
    ['{"a":-1E+99999999999}', 'a is too large a number'],
    [`{"a":${'9'.repeat(400)}}`, 'a is too large a number'],
  ])('names %s', (json, problem) => {
    expect(problemsOf(json)).toEqual([problem]);
  });

  it.each([
    '9007199254740991',
    '-9007199254740992',
    '18014398509481984',
    '100000000000000000000',
    '1e300',
    '12e20',
    '1000000000000000000000000000000',
    '9223372036854776000',
    '0.1234567890123456789012345',
    '1e-400',
    '0e999999999999',
    '0.0000000000000000',
    '"9007199254740993"',
    '"\\"9007199254740993"',
  ])('accepts %s', (number) => {
    expect(problemsOf(`{"a":${number}}`)).toEqual([]);
    expect(problemsOf(`[${number},${number}]`)).toEqual([]);
  });

  it('accepts every number that JavaScript writes', () => {
    const bits = new DataView(new ArrayBuffer(8));
    for (let i = 0; i < 20_000; i++) {
      bits.setUint32(0, (i * 2_654_435_761) >>> 0);
      bits.setUint32(4, (i * 40_503 * 97_711) >>> 0);
      const value = bits.getFloat64(0);
      if (Number.isFinite(value)) expect(problemsOf(JSON.stringify([value]))).toEqual([]);
    }
  });

  it('ends for texts that are no JSON', () => {
    for (const text of ['', '}', ']]]', '"', '-', '1e', '[1e400', ':9007199254740993', '-'.repeat(1_000_000)])
      expect(problemsOf(text).length).toBeLessThan(2);
  });
});

describe('quoted numbers', () => {
  it('are those that a parser would change, with all of their digits', () => {
    const text = '[1, 9007199254740993,{"a\\"1e400":-1E400,"b":[1e300,"1e400", 12345678901234567.0 ]}]';
    expect(quoteInexactNumbers(Buffer.from(text), 2)).toEqual({
      json: Buffer.from(
        '[1, "9007199254740993",{"a\\"1e400":"-1E400","b":[1e300,"1e400", "12345678901234567.0" ]}]',
      ),
      paths: ['[1]', '[2].a"1e400'],
      count: 3,
    });
    expect(quoteInexactNumbers(Buffer.from('[1,"é",1e30]'), 2)).toBeNull();
  });

  it('are not millions, which would take seconds and gigabytes', () => {
    expect(() => quoteInexactNumbers(Buffer.from(`[${'1e999,'.repeat(1_000_000)}1]`), 2)).toThrow(RangeError);
  });
});
