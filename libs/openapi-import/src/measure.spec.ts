import { Sizes } from './measure.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the size of a value', () => {
  it('is that of its JSON, for every character', () => {
    const sizes = new Sizes();
    const wrong = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
      (text) => sizes.of(text) !== bytesOf(text),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ['a pair of halves', '😀 and 😀'],
    ['halves without the other one', '\ud800 \udc00 \ud800\ud800\udc00 \udc00\ud800'],
    ['a long text', 'ä"\n'.repeat(1_000)],
    ['an object', { 'a"b': [1, null, true, 'é', {}], none: [], nested: { deep: ['x'.repeat(600)] } }],
  ])('is that of its JSON: %s', (_name, value) => {
    const size = new Sizes().of(value);
    expect(size).toBeGreaterThanOrEqual(bytesOf(value));
    // Separators are counted rather too often than too rarely.
    expect(size - bytesOf(value)).toBeLessThanOrEqual(typeof value === 'string' ? 0 : 6);
  });
});
