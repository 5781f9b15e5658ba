import { describe, expect, it } from '@jest/globals';
import { splitBlocks } from './split-blocks.ts';

describe('splitBlocks', () => {
  it('splits at blank lines and loses nothing', () => {
    const text = 'one\n\ntwo\nstill two\n\n- a\n- b';
    expect(splitBlocks(text)).toEqual(['one\n', 'two\nstill two\n', '- a\n- b']);
    expect(splitBlocks(text).join('\n')).toBe(text);
  });

  it('does not split fenced blocks', () => {
    const text = 'before\n\n```ts\nconst a = 1;\n\nconst b = 2;\n```\n\nafter';
    expect(splitBlocks(text)).toEqual(['before\n', '```ts\nconst a = 1;\n\nconst b = 2;\n```\n', 'after']);
  });

  it('keeps an unfinished fence in the last block, as while streaming', () => {
    expect(splitBlocks('text\n\n~~~~\na\n\n~~~\nb')).toEqual(['text\n', '~~~~\na\n\n~~~\nb']);
  });
});
