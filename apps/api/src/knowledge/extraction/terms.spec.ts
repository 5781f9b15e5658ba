import { countTerms, indexTerms, queryTerms } from './terms.ts';

const query = (text: string) =>
  queryTerms(text, 48).map(({ text: term, isPrefix }) => term + (isPrefix ? '*' : ''));

describe('the terms of a text', () => {
  it('are its words in lower case, without punctuation', () => {
    expect([...indexTerms('Error-42: Straße, naïve (NAÏVE) ﬁle')]).toEqual([
      'error',
      '42',
      'straße',
      'naïve',
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
    expect(query('What is the refund policy?')).toEqual(['refund', 'policy']);
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
