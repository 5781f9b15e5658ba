import { checkInputs, readInputs } from './execute-inputs.ts';

describe('the session_id of an execution', () => {
  it.each(['s', 'x'.repeat(128), null, undefined])('may be %j', (session_id) => {
    expect(checkInputs({ session_id }, 'inputs')).toEqual([]);
  });

  it.each(['', 'x'.repeat(129), 'a\0b', '\ud83d', 1])('may not be %j', (session_id) => {
    expect(checkInputs({ session_id }, 'inputs')).toEqual([
      expect.stringMatching(/^inputs\.session_id must be/),
    ]);
  });
});

describe('the inputs of an execution', () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

  it('may have 1,000 keys', () => {
    expect(checkInputs(keys(1000), 'inputs')).toEqual([]);
    expect(checkInputs(keys(1001), 'inputs')).toEqual(['inputs must have at most 1000 keys']);
  });

  it.each(['images', 'audios'])('may have 64 %s; of more none is looked at', (media) => {
    const url = 'https://example.com/a.png';
    expect(checkInputs({ [media]: Array(64).fill(url) }, 'inputs')).toEqual([]);
    for (const list of [Array(65).fill(url), Array(400_000).fill('no URL')])
      expect(checkInputs({ [media]: list }, 'inputs')).toEqual([
        `inputs.${media} must be a list of at most 64 URLs`,
      ]);
  });

  it('may not blow up the prompt', () => {
    const agent = { systemPrompt: '{{x}}'.repeat(1000), variables: [] };
    expect(() => readInputs({ query: 'q', x: 'y'.repeat(9_500_000) }, agent)).toThrow(
      'systemPrompt must have at most 1000000 characters',
    );
  });
});
