import { describe, expect, it } from '@jest/globals';
import { highlight } from './highlight.ts';

const kinds = (code: string, language: string) =>
  highlight(code, language)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => `${kind}:${text}`);

describe('highlight', () => {
  it('finds keywords, strings, numbers, and comments', () => {
    expect(kinds('const a = "x \\" y"; // done 1\nreturn 42;', 'ts')).toEqual([
      'keyword:const',
      'string:"x \\" y"',
      'comment:// done 1',
      'keyword:return',
      'number:42',
    ]);
    expect(kinds("def f(): # note\n  return 'a'", 'Python')).toEqual([
      'keyword:def',
      'comment:# note',
      'keyword:return',
      "string:'a'",
    ]);
    expect(kinds('SELECT 1 -- one', 'sql')).toEqual(['keyword:SELECT', 'number:1', 'comment:-- one']);
  });

  it.each(['const a = `one\n${b}', '/* open', '"open', "it's", 'é\u0000\n\t', '', '#!/bin/sh'])(
    'never changes the text of %j',
    (code) => {
      for (const language of ['ts', 'py', 'sql', 'json', 'html', 'unknown'])
        expect(
          highlight(code, language)
            .map(({ text }) => text)
            .join(''),
        ).toBe(code);
    },
  );

  it('leaves unknown languages and long texts plain', () => {
    expect(highlight('let x', 'brainfuck')).toEqual([{ kind: 'plain', text: 'let x' }]);
    expect(highlight('let '.repeat(20_000), 'ts')).toHaveLength(1);
  });
});
