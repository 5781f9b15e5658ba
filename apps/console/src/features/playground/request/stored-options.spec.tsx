import { describe, expect, it } from '@jest/globals';
import { NEW_OPTIONS, type RunOptions } from './call.ts';
import { parseOptions } from './stored-options.ts';

describe('parseOptions', () => {
  it('returns what was stored', () => {
    const options: RunOptions = {
      kind: 'job',
      model: 'own/model',
      parameters: { temperature: 0, max_tokens: 500 },
      askOnly: true,
      noWebSearch: true,
      memory: false,
      context: true,
      internet: true,
      variables: { customer: 'Ada', ['__proto__']: 'a name like any other' },
    };
    expect(parseOptions(JSON.stringify(options))).toEqual(options);
  });

  it.each([
    ['', 'nothing'],
    ['{', 'no JSON'],
    ['[]', 'no object'],
    [
      '{"kind":"toString","model":7,"memory":"no","parameters":{"top_k":3,"temperature":"1"}}',
      'unknown values',
    ],
    ['{"parameters":null,"variables":{"customer":{"first":"Ada"}}}', 'unknown shapes'],
  ])('returns the defaults for %j: %s', (text) => {
    expect(parseOptions(text)).toEqual(NEW_OPTIONS);
  });
});
