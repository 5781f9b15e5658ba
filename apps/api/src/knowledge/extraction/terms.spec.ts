import { verifies } from '../../../e2e/verifies.ts';
import { countTerms, indexTerms, loosened, queryTerms, withEdits } from './terms.ts';

const query = (text: string) =>
  queryTerms(text, 48).map(({ text: term, isPrefix }) => term + (isPrefix ? '*' : ''));

describe('the terms of a text', () => {
  it('are its words in lower case, without punctuation and accents, and their stems', () => {
    expect([...indexTerms('Error-42: Straße, naïve (NAÏVE) ﬁle')]).toEqual([
      'error',
      '42',
      'strass',
      'strasse',
      'naiv',
      'naive',
      'file',
    ]);
  });

  it('are pairs of characters where words are not separated, and the last character', () => {
    expect([...indexTerms('退款政策')]).toEqual(['退款', '款政', '政策', '策']);
    expect([...indexTerms('用Python写カタカナー')]).toEqual([
      '用',
      'python',
      '写カ',
      'カタ',
      'タカ',
      'カナ',
      'ナー',
      'ー',
      'カタカナー',
    ]);
    expect([...indexTerms('ภาษา')].length).toBeGreaterThan(1);
  });

  it('keep characters outside of the first plane whole', () => {
    expect([...indexTerms('𠮷野')]).toEqual(['𠮷野', '野']);
  });

  it('are cut, so that one word cannot be too long for the index', () => {
    const [term = ''] = indexTerms('a'.repeat(1_000));
    expect(term).toHaveLength(64);
    const [astral = ''] = indexTerms(
      `${'a'.repeat(63)}${'𝒜'.normalize('NFC')}𐐷`.toLowerCase() + '𐐷'.repeat(50),
    );
    expect(astral.isWellFormed()).toBe(true);
  });

  it('contain nothing that has a meaning in a tsquery', () => {
    for (const term of indexTerms(`a' | !b & (c:*) \\d "e" <-> f\0 ' ; drop`))
      expect(term).toMatch(/^[\p{L}\p{N}\p{M}]+$/u);
  });

  it('are counted', () => {
    expect(countTerms('Go, go! 去去')).toEqual(
      new Map([
        ['go', 2],
        ['去去', 1],
        ['去', 1],
      ]),
    );
  });
});

describe('the terms of a query', () => {
  it('leave out words that say nothing, unless there are no others', () => {
    expect(query('What is the refund policy?')).toEqual(['refund', 'polici']);
    expect(query('退款什么时候到账')).not.toContain('什么');
    expect(query('what is it')).toEqual(['what', 'is', 'it']);
  });

  it('find a single character in every position', () => {
    expect(query('猫')).toEqual(['猫*']);
    const indexed = [...indexTerms('院子里有一只猫')];
    expect(indexed.some((term) => term.startsWith('猫'))).toBe(true);
    expect([...indexTerms('猫在睡觉')].some((term) => term.startsWith('猫'))).toBe(true);
  });

  it('are distinct and limited', () => {
    expect(query('dog dog Dog')).toEqual(['dog']);
    expect(queryTerms(Array.from({ length: 100 }, (_, i) => `w${i}`).join(' '), 48)).toHaveLength(48);
    expect(queryTerms('?!', 48)).toEqual([]);
  });
});

describe('other forms of words', () => {
  const share = (a: string, b: string) => {
    const of = indexTerms(a);
    return queryTerms(b, 48).some(({ text, weight }) => weight === 1 && of.has(text));
  };

  verifies(
    'knowledge.words',
    'have the same term: endings, irregular forms, accents, and width',
    async () => {
      for (const [a, b] of [
        ['canceled orders', 'cancellation'],
        ['policies', 'policy'],
        ['It was paid', 'pay'],
        ['two children', 'a child'],
        ['résumé', 'RESUME'],
        ['Straße', 'strasse'],
        ['ＡＰＩ', 'api'],
        ['ｶﾀｶﾅ', 'カタカナ'],
      ] as const)
        expect([a, b, share(a, b)]).toEqual([a, b, true]);
      expect(share('university', 'universe of things')).toBe(true); // What stemming costs.
      expect(share('refund', 'deposit')).toBe(false);
    },
  );

  verifies('knowledge.words', 'of Chinese are those of the dictionary, in either script', async () => {
    expect([...indexTerms('資料庫備份')]).toEqual([...indexTerms('资料库备份')]);
    expect(indexTerms('感到莫名其妙').has('莫名其妙')).toBe(true);
    const weights = new Map(queryTerms('申请电子发票', 48).map(({ text, weight }) => [text, weight]));
    expect(weights.get('电子')).toBe(1);
    expect(weights.get('请电')).toBeLessThan(0.5);
  });

  verifies('knowledge.terms', 'of a query include those that earlier versions have stored', async () => {
    const others = (text: string) => queryTerms(text, 48).flatMap((term) => [term.text, ...term.others]);
    expect(others('refunds')).toEqual(['refund', 'refunds']);
    expect(others('naïve')).toContain('naïve');
    expect(others('資料')).toEqual(['资料', '資料']);
  });

  verifies('knowledge.words', 'with a typo are one edit away, in a bounded number', async () => {
    const edits = (word: string) => queryTerms(word, 9).map((term) => withEdits(term)?.others ?? [])[0] ?? [];
    for (const typo of ['refnud', 'rfund', 'refuund', 'refumd']) expect(edits(typo)).toContain('refund');
    expect(edits('refnuds')).toContain('refund');
    expect(edits('abcdefghijklmnopqrst').length).toBeLessThan(2_400);
    for (const none of ['abc', '12345', '退款', 'a'.repeat(60)]) expect(edits(none)).toEqual([]);
    // A word that says nothing is no correction.
    expect(edits('frem')).not.toContain('from');
  });

  verifies('knowledge.words', 'are loosened to their beginnings and characters', async () => {
    const loose = loosened(queryTerms('refundability of 款项', 48), 3);
    expect(loose.map(({ text, isPrefix }) => [text, isPrefix])).toEqual([
      ['refundab', true],
      ['款', true],
      ['项', true],
    ]);
  });
});
