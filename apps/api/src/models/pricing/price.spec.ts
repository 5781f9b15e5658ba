import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { costOf } from './price.ts';

const price = { inputPerMillion: 2.5, outputPerMillion: 10, cachedInputPerMillion: 1.25 };
const unpriced = { inputPerMillion: null, outputPerMillion: null, cachedInputPerMillion: null };

describe('costOf', () => {
  it('prices input, cached input and output apart', () => {
    expect(costOf({ promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 0 }, price)).toBe(2.5);
    expect(costOf({ promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 400_000 }, price)).toBe(2);
    expect(costOf({ promptTokens: 0, completionTokens: 1_000_000, cachedTokens: 0 }, price)).toBe(10);
    expect(costOf({ promptTokens: 1234, completionTokens: 567, cachedTokens: 1000 }, price)).toBe(0.007505);
  });

  it('is unknown without a price, and 0 with a price of 0', () => {
    const usage = { promptTokens: 5000, completionTokens: 5000, cachedTokens: 5000 };
    expect(costOf(usage, unpriced)).toBeNull();
    expect(costOf(usage, { ...unpriced, inputPerMillion: 0 })).toBe(0);
  });

  it('takes the input price for cached input that has none, and honours a price of 0', () => {
    const usage = { promptTokens: 1_000_000, completionTokens: 0, cachedTokens: 1_000_000 };
    expect(costOf(usage, { ...price, cachedInputPerMillion: null })).toBe(2.5);
    expect(costOf(usage, { ...price, cachedInputPerMillion: 0 })).toBe(0);
  });

  it('never bills more cached tokens than there was prompt', () => {
    expect(costOf({ promptTokens: 100, completionTokens: 0, cachedTokens: 900 }, price)).toBe(0.000125);
  });

  it('rounds half a billionth up and adds tenths without a binary remainder', () => {
    const tenth = { inputPerMillion: 0.1, outputPerMillion: 0.2, cachedInputPerMillion: null };
    expect(costOf({ promptTokens: 3_000_000, completionTokens: 0, cachedTokens: 0 }, tenth)).toBe(0.3);
    expect(costOf({ promptTokens: 1_000_000, completionTokens: 1_000_000, cachedTokens: 0 }, tenth)).toBe(
      0.3,
    );
    const tiny = { inputPerMillion: 0.0005, outputPerMillion: null, cachedInputPerMillion: null };
    expect(costOf({ promptTokens: 1, completionTokens: 0, cachedTokens: 0 }, tiny)).toBe(1e-9);
  });

  it('is additive over prompt and completion wherever the parts are whole billionths', () => {
    const tokens = fc.integer({ min: 0, max: 10_000_000 });
    const wholePrice = fc.integer({ min: 0, max: 1_000_000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(tokens, tokens, wholePrice, wholePrice, (promptTokens, completionTokens, input, output) => {
        const rates = { inputPerMillion: input, outputPerMillion: output, cachedInputPerMillion: null };
        const nano = (usage: { promptTokens: number; completionTokens: number }) =>
          Math.round((costOf({ ...usage, cachedTokens: 0 }, rates) ?? NaN) * 1e9);
        expect(nano({ promptTokens, completionTokens })).toBe(
          nano({ promptTokens, completionTokens: 0 }) + nano({ promptTokens: 0, completionTokens }),
        );
      }),
    );
  });
});
