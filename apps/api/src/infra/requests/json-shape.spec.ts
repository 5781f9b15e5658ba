import { deeperThan, MAX_PARTS, shapeProblem } from './json-shape.ts';

const problem = (json: string, maxDepth = 64) => shapeProblem(Buffer.from(json), maxDepth);
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('shapeProblem', () => {
  it('allows as many levels as the limit says, and no more', () => {
    expect(problem(nested(64))).toBeNull();
    expect(problem(nested(65))).toBe('The body is nested deeper than 64 levels');
    expect(problem(`{"a":${nested(31)}}`, 32)).toBeNull();
    expect(problem(`{"a":${nested(32)}}`, 32)).toBe('The body is nested deeper than 32 levels');
    expect(problem(`[${'[],{},'.repeat(1000)}[]]`, 2)).toBeNull();
  });

  it('does not look into strings, whatever is escaped in them', () => {
    for (const text of ['[[[[', '{"{":', '\\', '\\"[[[[', '"', '\\\\', '𝕏[[[['])
      expect(problem(JSON.stringify([text, { [text]: text }]), 2)).toBeNull();
    expect(problem('["\\\\",[[1]]]', 2)).not.toBeNull();
  });

  it('leaves it to the parser to refuse what is no JSON', () => {
    for (const text of ['', '"', '"\\', ']]]]', '{"a":1}}', '["a']) expect(problem(text)).toBeNull();
  });

  it.each([
    ['objects', '{},'],
    ['arrays', '[],'],
    ['keys', '{"a":1,"b":2,"c":3},'],
  ])('counts %s', (_, piece) => {
    const each = piece.length > 3 ? 4 : 1;
    const times = Math.floor((MAX_PARTS - 1) / each);
    expect(problem(`[${piece.repeat(times)}1]`)).toBeNull();
    expect(problem(`[${piece.repeat(times + 1)}1]`)).toMatch(/at most 200000 objects, arrays and keys/);
  });

  it('does not count values: numbers and texts are cheap', () => {
    expect(problem(`[${'1,"a",'.repeat(500_000)}1]`)).toBeNull();
  });

  it('stops at the first level too many: 10 MB of brackets cost nothing', () => {
    const brackets = Buffer.alloc(10 * 1024 * 1024, '[');
    let read = 0;
    const counted = new Proxy(brackets, {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read++;
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(shapeProblem(counted, 64)).toMatch(/deeper than 64/);
    expect(read).toBeLessThan(1000);
  });
});

describe('deeperThan', () => {
  it('counts objects and arrays', () => {
    expect(deeperThan('x', 0)).toBe(false);
    expect(deeperThan({}, 0)).toBe(true);
    expect(deeperThan({ a: [{}] }, 3)).toBe(false);
    expect(deeperThan({ a: [{}] }, 2)).toBe(true);
  });

  it('looks no deeper than the limit', () => {
    const endless: { self?: unknown } = {};
    endless.self = endless;
    expect(deeperThan(endless, 1000)).toBe(true);
  });
});
