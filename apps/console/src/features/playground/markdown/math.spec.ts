import { describe, expect, it } from '@jest/globals';
import { markFormulas, mayHaveMath } from './math.ts';

describe('markFormulas', () => {
  it('reads the marks that models write', () => {
    expect(markFormulas('It is $x^2$ here.')).toBe('It is $$x^2$$ here.');
    expect(markFormulas(String.raw`It is \(x^2\) here.`)).toBe('It is $$x^2$$ here.');
    expect(markFormulas(String.raw`So \[ a = b \] holds.`)).toBe('So \n$$\na = b\n$$\n holds.');
    expect(markFormulas('$$\nE = mc^2\n$$')).toBe('$$\nE = mc^2\n$$');
  });

  it('leaves prices, escaped dollars, and code alone', () => {
    for (const text of [
      'It costs $5, or $6 with tax.',
      'From $5 to $10.',
      String.raw`\$a\$`,
      '`$x$` and ``\\(y\\)``',
      '```sh\necho $HOME and $PATH $x$\n```\n',
      '~~~\n\\[ a \\]\n~~~',
    ])
      expect(markFormulas(text)).toBe(text);
  });

  it('goes on after a code block', () => {
    expect(markFormulas('```\n$a$\n```\n$b$')).toBe('```\n$a$\n```\n$$b$$');
  });

  it('takes time in proportion to the text, whatever it contains', () => {
    const before = process.cpuUsage();
    for (const text of ['$a ', '\\(', '\\[x', '`', '``a', '$a$', '\\[\\('])
      markFormulas(text.repeat(100_000 / text.length));
    // Code of as many different marks as fit.
    markFormulas(Array.from({ length: 1_500 }, (_, i) => '`'.repeat(i + 1)).join(' '));
    // Of the processor: a busy machine takes longer.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});

it('loads the code for formulas only for a text that may have some', () => {
  expect(mayHaveMath('It costs $5.')).toBe(false);
  expect(mayHaveMath('An array [1] (and more)')).toBe(false);
  expect(mayHaveMath('$x$')).toBe(true);
  expect(mayHaveMath('$$x$$')).toBe(true);
  expect(mayHaveMath(String.raw`\(x\)`)).toBe(true);
});
