// Runs in the extraction thread as well, which Node.js does not compile: only types that can be removed are allowed.

/** Scripts that are written without spaces between words, so that their runs are indexed as pairs of characters. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc`;
const RUNS = new RegExp(`([${UNSPACED}]+)|((?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+)`, 'gu');
/** Longer words are found by their beginning. */
const MAX_WORD_CHARS = 64;

/** A term of a query. */
export interface QueryTerm {
  text: string;
  /** Whether it also matches longer terms that begin with it: a single character of an unspaced script. */
  isPrefix: boolean;
}

/** The distinct terms under which a text is found. */
export function indexTerms(text: string): Set<string> {
  const terms = new Set<string>();
  for (const { run, isSpaced } of runsOf(text)) {
    if (isSpaced) terms.add(run);
    else for (const pair of pairsOf(run)) terms.add(pair);
  }
  return terms;
}

/** The distinct terms of a query in their order. Words that say nothing are left out, unless there are no others. */
export function queryTerms(query: string, limit: number): QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  for (const { run, isSpaced } of runsOf(query)) {
    const characters = isSpaced ? [run] : [...run];
    if (isSpaced || characters.length === 1) {
      const [text = ''] = characters;
      terms.set(text, { text, isPrefix: !isSpaced });
    } else {
      for (let i = 0; i + 1 < characters.length; i++) {
        const text = `${characters[i]}${characters[i + 1]}`;
        terms.set(text, { text, isPrefix: false });
      }
    }
  }
  const all = [...terms.values()];
  const telling = all.filter(({ text }) => !STOP_TERMS.has(text));
  return (telling.length > 0 ? telling : all).slice(0, limit);
}

/** How often each term occurs in a text. */
export function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { run, isSpaced } of runsOf(text))
    for (const term of isSpaced ? [run] : pairsOf(run)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function* runsOf(text: string): Generator<{ run: string; isSpaced: boolean }> {
  for (const [, unspaced, word] of text.normalize('NFKC').toLowerCase().matchAll(RUNS)) {
    if (unspaced !== undefined) yield { run: unspaced, isSpaced: false };
    else if (word !== undefined) yield { run: cut(word), isSpaced: true };
  }
}

/** Each character with the next one; the last alone, so that a query of one character finds it. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.map((character, i) => character + (characters[i + 1] ?? ''));
}

function cut(word: string): string {
  if (word.length <= MAX_WORD_CHARS) return word;
  const end = /[\ud800-\udbff]/.test(word.charAt(MAX_WORD_CHARS - 1)) ? MAX_WORD_CHARS - 1 : MAX_WORD_CHARS;
  return word.slice(0, end);
}

/** Words of questions in English and Chinese that say nothing about their subject. */
const STOP_TERMS: ReadonlySet<string> = new Set(
  `a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its
   may me my no not of on or our please should so tell than that the their them there these they this those to us was
   we were what when where which who whom whose why will with would you your
   什么 怎么 么样 如何 多少 哪些 哪个 可以 我们 你们 他们 请问 告诉 诉我 是否 一下 一个 这个 那个 有没 没有 为什`.split(
    /\s+/,
  ),
);
