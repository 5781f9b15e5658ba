import { inPortions } from './in-portions.ts';

describe('inPortions', () => {
  it('divides a list, in its order', () => {
    expect(inPortions([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(inPortions([1, 2], 2)).toEqual([[1, 2]]);
    expect(inPortions([], 2)).toEqual([]);
  });
});
