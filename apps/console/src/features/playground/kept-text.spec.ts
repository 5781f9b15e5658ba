import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { keepText, readText } from './kept-text.ts';

beforeEach(() => sessionStorage.clear());
afterEach(() => sessionStorage.clear());

it('keeps the last text of each name', () => {
  expect(readText('a')).toBeNull();
  expect(keepText('a', 'One')).toBe(true);
  keepText('b', 'Two words');
  keepText('a', 'Three');
  expect([readText('a'), readText('b')]).toEqual(['Three', 'Two words']);
  expect(keepText('a', '  ')).toBe(true);
  expect(readText('a')).toBeNull();
});

it('keeps twenty texts, and forgets the oldest', () => {
  for (let n = 0; n < 20; n++) sessionStorage.setItem(`platform.draft.${n}`, `${1_000 + n} Text ${n}`);
  keepText('20', 'Text 20');
  expect([readText('0'), readText('1'), readText('20')]).toEqual([null, 'Text 1', 'Text 20']);
  keepText('1', 'Changed');
  expect([readText('1'), readText('2')]).toEqual(['Changed', 'Text 2']);
});

it('says what is too long to be kept, and keeps no older text in its place', () => {
  keepText('a', 'Short');
  expect(keepText('a', 'x'.repeat(100_001))).toBe(false);
  expect(readText('a')).toBeNull();
  expect(keepText('a', 'x'.repeat(100_000))).toBe(true);
});
