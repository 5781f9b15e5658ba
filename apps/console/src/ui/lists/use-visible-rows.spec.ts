import { expect, it } from '@jest/globals';
import { findVisibleRows } from './use-visible-rows.ts';

it('renders the visible rows and a margin', () => {
  expect(findVisibleRows({ top: 0, height: 500 }, 10_000, 50)).toEqual({
    first: 0,
    last: 22,
    before: 0,
    after: 9_978 * 50,
  });
  expect(findVisibleRows({ top: 250_000, height: 500 }, 10_000, 50)).toEqual({
    first: 4_988,
    last: 5_022,
    before: 4_988 * 50,
    after: 4_978 * 50,
  });
});

it('keeps the height of the list, wherever the page is scrolled to', () => {
  for (const top of [-900, 0, 33_333, 499_999, 2_000_000]) {
    const { first, last, before, after } = findVisibleRows({ top, height: 800 }, 10_000, 50);
    expect(before + (last - first) * 50 + after).toBe(500_000);
    expect(last - first).toBeLessThan(50);
  }
});

it('renders all rows of a short list, and none of an empty one', () => {
  expect(findVisibleRows({ top: 0, height: 500 }, 3, 50)).toEqual({ first: 0, last: 3, before: 0, after: 0 });
  expect(findVisibleRows({ top: 0, height: 500 }, 0, 50)).toEqual({ first: 0, last: 0, before: 0, after: 0 });
});
