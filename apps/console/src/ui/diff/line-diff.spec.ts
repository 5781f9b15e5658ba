import { describe, expect, it } from '@jest/globals';
import { diffLines, skipUnchanged } from './line-diff.ts';

const MARKS = { same: ' ', added: '+', removed: '-' };
const chars = (text: string) => Array.from(text);
const diff = (before: string, after: string) =>
  diffLines(chars(before), chars(after))
    .map(({ kind, text }) => MARKS[kind] + text)
    .join('');

describe('the difference of two texts', () => {
  it('keeps what both have, in order', () => {
    expect(diff('abcd', 'abcd')).toBe(' a b c d');
    expect(diff('abcd', 'abxd')).toBe(' a b-c+x d');
    expect(diff('abcabba', 'cbabac')).toMatch(/^-a/);
    expect(diff('', 'ab')).toBe('+a+b');
    expect(diff('ab', '')).toBe('-a-b');
    expect(diff('aa', 'a')).toBe(' a-a');
  });

  it.each([
    ['abcabba', 'cbabac'],
    ['the quick brown fox', 'a quick red fox!'],
  ])('leads from %j to %j', (before, after) => {
    const lines = diffLines(chars(before), chars(after));
    const without = (kind: string) => lines.filter((line) => line.kind !== kind).map(({ text }) => text);
    expect(without('added').join('')).toBe(before);
    expect(without('removed').join('')).toBe(after);
  });

  it('replaces very long texts as a whole, without comparing every pair', () => {
    const before = Array.from({ length: 40_000 }, (_, i) => `old ${i}`);
    const after = Array.from({ length: 40_000 }, (_, i) => `new ${i}`);
    const lines = diffLines(['first', ...before, 'last'], ['first', ...after, 'last']);
    expect(lines).toHaveLength(80_002);
    expect([lines[0]?.kind, lines[1]?.kind, lines.at(-2)?.kind, lines.at(-1)?.kind]).toEqual([
      'same',
      'removed',
      'added',
      'same',
    ]);
  });

  it('leaves out unchanged lines that are far from a change', () => {
    const shown = skipUnchanged(diffLines(chars('abcdefgh'), chars('abcdeXgh')));
    expect(shown[0]).toEqual({ kind: 'skipped', count: 3 });
    expect(shown.slice(1).map((line) => ('text' in line ? line.text : ''))).toEqual(chars('defXgh'));
    expect(skipUnchanged(diffLines(['a'], ['a']))).toEqual([{ kind: 'skipped', count: 1 }]);
  });
});
