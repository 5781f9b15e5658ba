import { describe, expect, it } from '@jest/globals';
import { limitFormulas } from './formula-limits.ts';

const formula = (value: string) => ({
  properties: { className: ['language-math', 'math-inline'] },
  children: [{ value }],
});

/** Returns which of the formulas KaTeX gets. */
function listDrawn(texts: string[]): string[] {
  const formulas = texts.map(formula);
  limitFormulas()({ children: [{ children: formulas }] });
  return texts.filter((_, i) => 'className' in (formulas[i]?.properties ?? {}));
}

describe('limitFormulas', () => {
  it('keeps formulas that are drawn fast', () => {
    const texts = ['x^2', String.raw`\left( \letter \deff \tag{1} \right)`, 'x'.repeat(4_000)];
    expect(listDrawn(texts)).toEqual(texts);
  });

  it('leaves long formulas, and those that define commands, as code', () => {
    const definitions = [
      '\\def\\a#1{#1#1}',
      '\\gdef\\a{}',
      '\\edef\\a{}',
      '\\let\\a=b',
      '\\global\\let\\a=b',
    ];
    const commands = ['\\newcommand{\\a}[1]{#1}', '\\renewcommand\\a{}', '\\providecommand\\a{}'];
    expect(listDrawn([...definitions, ...commands, '\\def', 'x'.repeat(4_001)])).toEqual([]);
  });

  it('leaves as code what is too much for one text', () => {
    const texts = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(4_000, 'x'));
    expect(listDrawn([...texts, 'x'])).toEqual([...texts.slice(0, 12), 'x']);
  });

  it('reads a text with many parts', () => {
    const wide = { children: Array.from({ length: 300_000 }, () => ({ value: 'x' })) };
    expect(() => limitFormulas()(wide)).not.toThrow();
  });
});
