import { describe, expect, it } from '@jest/globals';
import { formatSorting, nextSorting, parseSorting, sortItems, type SortValue } from './sort.ts';

const sort = (values: SortValue[], descending = false, language = 'en') =>
  sortItems(
    values.map((value, i) => ({ value, i })),
    ({ value }) => value,
    descending,
    language,
  );
const valuesOf = (...input: Parameters<typeof sort>) => sort(...input).map(({ value }) => value);

describe('sorting', () => {
  it('compares text as readers of the language do, and numbers as numbers', () => {
    expect(valuesOf(['Zoo', 'apple', 'item 10', 'Éclair', 'item 9'])).toEqual([
      'apple',
      'Éclair',
      'item 9',
      'item 10',
      'Zoo',
    ]);
    expect(valuesOf(['重庆', '北京', '安徽'], false, 'zh-CN')).toEqual(['安徽', '北京', '重庆']);
    expect(valuesOf([10, 9, -1])).toEqual([-1, 9, 10]);
    expect(valuesOf([true, false], true)).toEqual([true, false]);
  });

  it('puts what has no value last in both directions', () => {
    expect(valuesOf([null, 2, undefined, 1])).toEqual([1, 2, null, undefined]);
    expect(valuesOf([null, 2, undefined, 1], true)).toEqual([2, 1, null, undefined]);
  });

  it('keeps the order of equal items in both directions', () => {
    const indexes = (descending: boolean) => sort(['b', 'a', 'b', 'a'], descending).map(({ i }) => i);
    expect(indexes(false)).toEqual([1, 3, 0, 2]);
    expect(indexes(true)).toEqual([0, 2, 1, 3]);
  });

  it('is read from and written to a URL, and ignores columns that do not exist', () => {
    const keys = ['name', 'used'];
    expect(parseSorting('name', keys)).toEqual({ key: 'name', descending: false });
    expect(parseSorting('-used', keys)).toEqual({ key: 'used', descending: true });
    for (const text of [null, '', '-', '--name', 'constructor', 'NAME'])
      expect(parseSorting(text, keys)).toBeUndefined();
    expect(formatSorting({ key: 'used', descending: true })).toBe('-used');
    expect(formatSorting({ key: 'name', descending: false })).toBe('name');
  });

  it('goes from the first direction of a column to the other, and then back to no sorting', () => {
    const first = nextSorting(undefined, 'used', true);
    expect(first).toEqual({ key: 'used', descending: true });
    expect(nextSorting(first, 'used', true)).toEqual({ key: 'used', descending: false });
    expect(nextSorting({ key: 'used', descending: false }, 'used', true)).toBeUndefined();
    expect(nextSorting(first, 'name', false)).toEqual({ key: 'name', descending: false });
  });
});
