import { describe, expect, it, jest } from '@jest/globals';
import { listVariables } from '@platform/contracts';
import fc from 'fast-check';
import {
  assertRenderable,
  mergeVariables,
  listMissingVariables,
  render,
  variableNameProblem,
} from './template.ts';

describe('listVariables', () => {
  it('finds each name once, in order, with or without spaces', () => {
    expect(listVariables('{{b}} {{ a }} {{b}} {{城市}} {{snake_case-1}}')).toEqual([
      'b',
      'a',
      '城市',
      'snake_case-1',
    ]);
  });

  it('leaves alone what is no variable', () => {
    expect(listVariables('{a} {{}} {{ }} {{1a}} {{a.b}} {{a b}} {{a}')).toEqual([]);
  });
});

describe('variableNameProblem', () => {
  it('refuses the keys of inputs', () => {
    for (const name of ['query', 'session_id', 'memory', 'context', 'internet', 'images', 'audios']) {
      expect(variableNameProblem(name)).toBe(`must not be the reserved name ${name}`);
    }
  });

  it('takes 64 characters and no more', () => {
    expect(variableNameProblem('a'.repeat(64))).toBeNull();
    expect(variableNameProblem('a'.repeat(65))).toMatch(/at most 63/);
    expect(variableNameProblem('')).not.toBeNull();
  });
});

describe('mergeVariables', () => {
  it('puts what was declared to the names of the template, required unless said otherwise', () => {
    const declared = [{ name: 'unused' }, { name: 'b', required: false, default: 'x', description: 'B' }];
    expect(mergeVariables('{{a}} {{b}}', declared)).toEqual([
      { name: 'a', required: true },
      { name: 'b', required: false, default: 'x', description: 'B' },
      { name: 'unused', required: true },
    ]);
  });
});

describe('listMissingVariables', () => {
  it('names those without value and default, and only those that the template uses', () => {
    const declared = [{ name: 'b', required: false }, { name: 'c', default: '' }, { name: 'unused' }];
    expect(listMissingVariables('{{a}} {{b}} {{c}} {{d}} {{e}}', declared, { d: 0, e: null })).toEqual([
      'a',
      'e',
    ]);
  });

  it('does not take inherited keys for values', () => {
    expect(listMissingVariables('{{constructor}}', [], {})).toEqual(['constructor']);
    expect(listMissingVariables('{{constructor}}', [], { constructor: 'x' })).toEqual([]);
  });
});

describe('a rendered prompt', () => {
  const value = 'x'.repeat(9_500_000);

  it('is not built if it would be too long', () => {
    const template = '{{x}}'.repeat(150_000);
    const stringify = jest.spyOn(JSON, 'stringify');
    const replace = jest.spyOn(String.prototype, 'replace');
    for (const x of [value, [value]]) {
      expect(() => render(template, [], { x })).toThrow('systemPrompt must have at most 1000000 characters');
      expect(() => assertRenderable(template, [], { x })).toThrow('systemPrompt must have at most');
    }
    // The text of a value is made once, and the prompt never.
    expect(stringify).toHaveBeenCalledTimes(2);
    expect(replace).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it('may have exactly 1,000,000 characters', () => {
    const fits = 'x'.repeat(999_998);
    expect(render('<{{x}}>', [], { x: fits })).toHaveLength(1_000_000);
    expect(() => render('<{{x}}>>', [], { x: fits })).toThrow('not 1000001');
    expect(() => render('{{x}}', [{ name: 'x', default: value }], {})).toThrow('not 9500000');
  });

  it('does not count values that it does not use', () => {
    expect(render('{{x}}', [], { x: 'a', y: value })).toBe('a');
  });
});

describe('render', () => {
  it('inserts value, else default, else nothing', () => {
    const declared = [{ name: 'b', default: 'beta' }];
    expect(render('{{a}}|{{b}}|{{c}}', declared, { a: 'A' })).toBe('A|beta|');
    expect(render('{{a}}|{{b}}', declared, { a: '', b: 'B' })).toBe('|B');
  });

  it('inserts objects as JSON, numbers and booleans as they are written', () => {
    expect(render('{{o}} {{n}} {{t}}', [], { o: { a: [1, '{{n}}'] }, n: 0, t: false })).toBe(
      '{"a":[1,"{{n}}"]} 0 false',
    );
  });

  it('never expands a value twice, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const tricky = `$& $1 {{b}} ${value}`;
        expect(render('<{{a}}>', [], { a: tricky, b: 'no' })).toBe(`<${tricky}>`);
      }),
    );
  });
});
