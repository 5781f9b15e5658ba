import { MAX_FIGURE, readUsage } from './usage-figures.ts';

describe('readUsage', () => {
  it('reads what OpenAI sends', () => {
    expect(
      readUsage({
        prompt_tokens: 1_000,
        completion_tokens: 100,
        total_tokens: 1_100,
        prompt_tokens_details: { cached_tokens: 600 },
        completion_tokens_details: { reasoning_tokens: 40 },
      }),
    ).toEqual({ promptTokens: 1_000, completionTokens: 100, cachedTokens: 600, reasoningTokens: 40 });
  });

  it('reads embeddings, which have no completion', () => {
    expect(readUsage({ prompt_tokens: 15, total_tokens: 15 })).toMatchObject({
      promptTokens: 15,
      completionTokens: 0,
    });
  });

  it.each([
    ['none', {}],
    ['a text', { prompt_tokens: '10', completion_tokens: 3 }],
    ['a negative one', { prompt_tokens: 10, completion_tokens: -1 }],
    ['a fraction', { prompt_tokens: 10.5, completion_tokens: 3 }],
    ['one that is not a number', { prompt_tokens: 10, completion_tokens: Number.NaN }],
    ['one beyond int4', { prompt_tokens: 2 ** 31 - 1, completion_tokens: 3 }],
    ['one beyond the safe integers', { prompt_tokens: 10, completion_tokens: 1e300 }],
    ['one too large', { prompt_tokens: MAX_FIGURE + 1, completion_tokens: 3 }],
  ])('returns null for figures with %s: they are estimated', (_, usage) => {
    expect(readUsage(usage)).toBeNull();
  });

  it.each([
    [{ cached_tokens: 11 }, 10],
    [{ cached_tokens: -5 }, 0],
    [{ cached_tokens: 'all' }, 0],
    [null, 0],
  ])('takes of %p what can be a part of the prompt', (details, cachedTokens) => {
    const usage = { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: details };
    expect(readUsage(usage)).toMatchObject({ cachedTokens });
  });
});
