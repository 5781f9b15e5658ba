import { isObject } from '../../infra/runtime/json.ts';
import { MAX_DIMENSIONS, type Embeddings, type Reranking } from '../port/model-provider.ts';
import { readUsage } from '../pricing/usage-figures.ts';
import { badAnswer } from './openai-errors.ts';

/** Reads the response of `/embeddings` to so many texts. Throws a `ProviderError` unless each text has a usable vector. */
export function readEmbeddings({ data, usage }: Record<string, unknown>, texts: number): Embeddings {
  if (!Array.isArray(data) || data.length !== texts) throw unusable();
  const vectors = new Array<Float32Array | undefined>(texts).fill(undefined);
  for (const [n, item] of data.entries()) {
    if (!isObject(item)) throw unusable();
    const index = item.index ?? n;
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined) throw unusable();
    vectors[index] = readVector(item.embedding);
  }
  const [first] = vectors;
  return {
    vectors: vectors.map((vector) => {
      if (vector?.length !== first?.length || vector === undefined) throw unusable();
      return vector;
    }),
    promptTokens: promptTokensOf(usage),
  };
}

function readVector(value: unknown): Float32Array {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DIMENSIONS) throw unusable();
  const vector = new Float32Array(value.length);
  let isZero = true;
  for (let i = 0; i < vector.length; i++) {
    const number: unknown = value[i];
    if (typeof number !== 'number') throw unusable();
    vector[i] = number;
    if (!Number.isFinite(vector[i])) throw unusable();
    isZero &&= vector[i] === 0;
  }
  if (isZero) throw unusable();
  return vector;
}

/** Reads the response of `/rerank` for so many texts, in the form of Cohere and Jina. */
export function readReranking(answer: Record<string, unknown>, texts: number): Reranking {
  const { results } = answer;
  if (!Array.isArray(results) || results.length > texts) throw badAnswer(UNREADABLE);
  const scores = new Array<number | null>(texts).fill(null);
  for (const result of results) {
    if (!isObject(result)) throw badAnswer(UNREADABLE);
    const { index, relevance_score: score } = result;
    if (typeof index !== 'number' || scores[index] !== null) throw badAnswer(UNREADABLE);
    if (typeof score !== 'number' || !Number.isFinite(score)) throw badAnswer(UNREADABLE);
    scores[index] = score;
  }
  return { scores, promptTokens: promptTokensOf(answer.usage) };
}

const UNREADABLE = "The model's server sent no ranking that can be read.";

/** Some servers report only the total, which is the prompt. */
function promptTokensOf(usage: unknown): number | null {
  if (!isObject(usage)) return null;
  return readUsage({ prompt_tokens: usage.prompt_tokens ?? usage.total_tokens })?.promptTokens ?? null;
}

const unusable = () => badAnswer("The model's server sent no vectors that can be used.");
