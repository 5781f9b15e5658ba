import { describe, expect, it } from '@jest/globals';
import type { MessageContent } from '@platform/contracts';
import { limitInput, MAX_INPUT_BYTES } from './job-input.ts';

const text = (value: string): MessageContent => ({ type: 'text', text: value });
const file = (name: string): MessageContent => ({ type: 'file', file_info: { name } });

describe('the input that is shown of a job', () => {
  it('is all of it if it is small', () => {
    const contents = [text('Hello'), file('a.txt'), text('world')];
    const variables = { role: 'a poet', constructor: 1, empty: null };
    expect(limitInput(contents, variables)).toEqual({ contents, variables, isShortened: false });
  });

  it('has the beginning of its texts, whose characters stay whole', () => {
    const { contents, isShortened } = limitInput([text('é'.repeat(MAX_INPUT_BYTES)), text('more')], {});
    expect(contents).toHaveLength(1);
    const [shown] = contents;
    if (shown?.type !== 'text') throw new Error('The text is missing');
    expect(Buffer.byteLength(shown.text)).toBeLessThanOrEqual(MAX_INPUT_BYTES);
    expect(shown.text).toMatch(/^é{32000,}…$/);
    expect(isShortened).toBe(true);
  });

  it('keeps what fits of media and variables, whatever the length of the texts', () => {
    const large = 'x'.repeat(MAX_INPUT_BYTES);
    const { contents, variables, isShortened } = limitInput([text(large), file(large), file('b.txt')], {
      large,
      ['__proto__']: 'own',
    });
    expect(contents).toEqual([text(large), file('b.txt')]);
    expect(Object.entries(variables)).toEqual([['__proto__', 'own']]);
    expect(isShortened).toBe(true);
  });
});
