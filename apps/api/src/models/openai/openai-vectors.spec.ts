import { ProviderError } from '../port/model-provider.ts';
import { readEmbeddings, readReranking } from './openai-vectors.ts';

describe('the vectors of a server', () => {
  it('have the order of the texts, whatever the order of the response', () => {
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ];
    expect(readEmbeddings({ data, usage: { prompt_tokens: 7, total_tokens: 7 } }, 2)).toEqual({
      vectors: [Float32Array.of(1, 0), Float32Array.of(0, 1)],
      promptTokens: 7,
    });
  });

  it('may lack the index and the usage', () => {
    const data = [{ embedding: [1] }, { embedding: [2] }];
    expect(readEmbeddings({ data }, 2)).toEqual({
      vectors: [Float32Array.of(1), Float32Array.of(2)],
      promptTokens: null,
    });
    expect(readEmbeddings({ data, usage: { total_tokens: 3 } }, 2).promptTokens).toBe(3);
  });

  it.each<[string, unknown]>([
    ['no data', undefined],
    ['one too few', [{ embedding: [1] }]],
    ['one too many', [{ embedding: [1] }, { embedding: [1] }, { embedding: [1] }]],
    [
      'the same index twice',
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    ],
    [
      'an index outside',
      [
        { index: 0, embedding: [1] },
        { index: 2, embedding: [1] },
      ],
    ],
    [
      'a fractional index',
      [
        { index: 0, embedding: [1] },
        { index: 0.5, embedding: [1] },
      ],
    ],
    ['different lengths', [{ embedding: [1] }, { embedding: [1, 2] }]],
    ['no numbers', [{ embedding: [1] }, { embedding: ['1'] }]],
    ['numbers without an end', [{ embedding: [1] }, { embedding: [1e300] }]],
    ['nothing', [{ embedding: [1] }, { embedding: [] }]],
    ['zeros', [{ embedding: [1] }, { embedding: [0] }]],
    ['too many numbers', [{ embedding: [1] }, { embedding: Array(8_193).fill(1) }]],
    ['base64', [{ embedding: [1] }, { embedding: 'AACAPw==' }]],
    ['null', [{ embedding: [1] }, null]],
  ])('are refused if they are %s', (_, data) => {
    expect(() => readEmbeddings({ data }, 2)).toThrow(ProviderError);
  });
});

describe('the ranking of a server', () => {
  it('is read in the forms of Cohere and Jina; what it leaves out has no score', () => {
    const cohere = {
      results: [
        { index: 2, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.1 },
      ],
      meta: {},
    };
    expect(readReranking(cohere, 3)).toEqual({ scores: [0.1, null, 0.9], promptTokens: null });
    const jina = {
      results: [{ index: 0, relevance_score: 0.5, document: { text: 'a' } }],
      usage: { total_tokens: 9 },
    };
    expect(readReranking(jina, 1)).toEqual({ scores: [0.5], promptTokens: 9 });
  });

  it.each<[string, unknown]>([
    ['no results', undefined],
    ['an index outside', [{ index: 2, relevance_score: 1 }]],
    ['a negative index', [{ index: -1, relevance_score: 1 }]],
    [
      'the same index twice',
      [
        { index: 0, relevance_score: 1 },
        { index: 0, relevance_score: 1 },
      ],
    ],
    ['no score', [{ index: 0 }]],
    ['more results than texts', Array(3).fill({ index: 0, relevance_score: 1 })],
  ])('is refused if it has %s', (_, results) => {
    expect(() => readReranking({ results }, 2)).toThrow(ProviderError);
  });
});
