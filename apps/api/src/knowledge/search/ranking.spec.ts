import { queryTerms } from '../extraction/terms.ts';
import type { FoundChunk } from '../documents/knowledge-chunks.store.ts';
import { rankChunks } from './ranking.ts';

const chunk = (n: number, text: string): FoundChunk => ({
  documentId: 'd',
  n,
  title: 'T',
  heading: '',
  text,
});

describe('ranking', () => {
  it('prefers rare terms to common ones', async () => {
    const terms = queryTerms('invoice zebra', 9);
    const chunks = [chunk(1, 'invoice invoice invoice'), chunk(2, 'zebra')];
    const ranked = await rankChunks(chunks, terms, [900, 1], 1_000);
    expect(ranked[0]?.n).toBe(2);
  });

  it('prefers more of the terms, and more occurrences', async () => {
    const terms = queryTerms('refund deadline', 9);
    const chunks = [chunk(1, 'refund'), chunk(2, 'refund refund refund'), chunk(3, 'refund deadline')];
    expect((await rankChunks(chunks, terms, [3, 3], 100)).map(({ n }) => n)).toEqual([3, 2, 1]);
  });

  it('leaves out what matches much worse than the best, and counts terms that nothing contains', async () => {
    const terms = queryTerms('alpha beta gamma delta', 9);
    const chunks = [chunk(1, 'alpha beta gamma delta '.repeat(5)), chunk(2, 'alpha')];
    expect((await rankChunks(chunks, terms, [90, 2, 2, 2], 100)).map(({ n }) => n)).toEqual([1]);
    const [half] = await rankChunks([chunk(1, 'alpha')], queryTerms('alpha unknown', 9), [1, 0], 100);
    expect(half?.score).toBeLessThan(0.5);
  });

  it('scores between 0 and 1, also in a space with one chunk', async () => {
    const [only] = await rankChunks([chunk(1, 'alpha')], queryTerms('alpha', 9), [1], 1);
    expect(only?.score).toBeGreaterThan(0);
    expect(only?.score).toBeLessThan(1);
  });

  it('lets requests be served in between', async () => {
    const chunks = Array.from({ length: 200 }, (_, n) => chunk(n, '退款政策'.repeat(130)));
    let served = 0;
    const serve = () => {
      served++;
      next = setImmediate(serve);
    };
    let next = setImmediate(serve);
    await rankChunks(chunks, queryTerms('退款', 9), [200], 200);
    clearImmediate(next);
    expect(served).toBeGreaterThan(10);
  });
});
