import { foldCharacter, foldWord, stemOf } from './fold.ts';

// Runs in the extraction thread as well, which Node.js does not compile: only types that can be removed are allowed.

/** Which terms are stored. Documents with those of an earlier version are indexed again. */
export const TERMS_VERSION = 2;

/** Scripts that are written without spaces between words, so that their runs are indexed as pairs of characters. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc`;
const RUNS = new RegExp(`([${UNSPACED}]+)|((?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+)`, 'gu');
/** Longer words are found by their beginning. */
const MAX_WORD_CHARS = 64;
/** Of a word without spaces. The dictionary has no longer ones that anybody looks for. */
const MAX_DICTIONARY_CHARS = 12;
/** What the dictionary reads at once. */
const MAX_RUN_CHARS = 1_000;

/** A term of a query. */
export interface QueryTerm {
  text: string;
  /** Whether it also matches longer terms that begin with it: a single character of an unspaced script. */
  isPrefix: boolean;
  /** 0 to 1: pairs of characters that belong to two words say little. */
  weight: number;
  /** The word as it was written, folded; null in unspaced scripts. */
  word: string | null;
  /** Other terms that count as this one. */
  others: readonly string[];
}

/** Terms of version 1 are still stored for documents that were not indexed again: they are neither folded nor stemmed. */
type Run =
  { isSpaced: true; raw: string; word: string } | { isSpaced: false; raw: string[]; folded: string[] };

/** The distinct terms under which a text is found. */
export function indexTerms(text: string): Set<string> {
  return new Set(termsOf(text));
}

/** How often each term occurs in a text. */
export function countTerms(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** The words as they are written, and their stems. In unspaced scripts: pairs of characters, and the words of the dictionary. */
function* termsOf(text: string): Generator<string> {
  for (const run of runsOf(text))
    if (run.isSpaced) {
      const stem = stemOf(run.word);
      yield stem;
      if (stem !== run.word) yield run.word;
    } else {
      yield* pairsOf(run.folded);
      for (const { word } of dictionaryWords(run.folded)) if (isDictionaryTerm(word)) yield word.join('');
    }
}

/** The distinct terms of a query in their order. Words that say nothing are left out, unless there are no others. */
export function queryTerms(query: string, limit: number): QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  const add = (term: Partial<QueryTerm> & { text: string }) => {
    const known = terms.get(term.text);
    if (known !== undefined && known.weight >= (term.weight ?? 1)) return;
    terms.set(term.text, { isPrefix: false, weight: 1, word: null, others: [], ...term });
  };
  for (const run of runsOf(query)) {
    if (run.isSpaced) {
      const { raw, word } = run;
      const text = stemOf(word);
      add({ text, word, others: [...new Set([word, raw])].filter((other) => other !== text) });
    } else addUnspaced(run, add);
  }
  const all = [...terms.values()];
  const telling = all.filter(({ text, word }) => !STOP_TERMS.has(word ?? text));
  return (telling.length > 0 ? telling : all).sort((a, b) => b.weight - a.weight).slice(0, limit);
}

const BETWEEN_WORDS = 0.2;
const WITHIN_WORD = 0.5;

function addUnspaced(
  { raw, folded }: { raw: string[]; folded: string[] },
  add: (term: Partial<QueryTerm> & { text: string }) => void,
): void {
  const othersOf = (text: string, at: number, count: number) => {
    const other = raw.slice(at, at + count).join('');
    return other === text ? [] : [other];
  };
  if (folded.length === 1) {
    const [text = ''] = folded;
    add({ text, isPrefix: true, others: othersOf(text, 0, 1) });
    return;
  }
  const weights: number[] = folded.map(() => BETWEEN_WORDS);
  for (const { word, at } of dictionaryWords(folded)) {
    for (let i = at; i + 1 < at + word.length; i++) weights[i] = word.length === 2 ? 1 : WITHIN_WORD;
    if (isDictionaryTerm(word)) add({ text: word.join('') });
  }
  for (let i = 0; i + 1 < folded.length; i++) {
    const text = `${folded[i]}${folded[i + 1]}`;
    add({ text, weight: weights[i] ?? 1, others: othersOf(text, i, 2) });
  }
}

/** What is searched for a term that nothing contains: the terms that are one edit away. */
export function withEdits(term: QueryTerm): QueryTerm | null {
  const { text, word, weight } = term;
  if (word === null || !/^[a-z]{4,20}$/.test(word)) return null;
  const others = new Set([...editsOf(word), ...(text === word || text.length < 4 ? [] : editsOf(text))]);
  return { ...term, weight: weight * EDITED, others: [...others].filter((other) => !STOP_TERMS.has(other)) };
}

const EDITED = 0.7;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** About 54 for each letter: one letter is missing, too many, another one, or two are swapped. */
function editsOf(word: string): string[] {
  const edits: string[] = [];
  for (let i = 0; i <= word.length; i++) {
    const [head, tail] = [word.slice(0, i), word.slice(i)];
    const next = tail.charAt(1);
    if (tail !== '') edits.push(head + tail.slice(1));
    if (next !== '') edits.push(head + next + tail.charAt(0) + tail.slice(2));
    for (const letter of LETTERS) {
      if (tail !== '') edits.push(head + letter + tail.slice(1));
      edits.push(head + letter + tail);
    }
  }
  return edits.filter((edit) => edit !== word);
}

/** What is searched if nothing contains a term of the query: the beginnings of its words, and its characters. */
export function loosened(terms: readonly QueryTerm[], limit: number): QueryTerm[] {
  const loose = new Map<string, QueryTerm>();
  for (const { text, word } of terms) {
    const heads =
      word === null
        ? [...text]
        : word.length < 5
          ? []
          : [word.slice(0, Math.max(4, Math.ceil(word.length * 0.6)))];
    for (const head of heads)
      if (!STOP_CHARACTERS.has(head))
        loose.set(head, { text: head, isPrefix: true, weight: 1, word: null, others: [] });
  }
  return [...loose.values()].slice(0, limit);
}

function* runsOf(text: string): Generator<Run> {
  for (const [, unspaced, word] of text.normalize('NFKC').toLowerCase().matchAll(RUNS)) {
    if (unspaced !== undefined) {
      const raw = [...unspaced];
      yield { isSpaced: false, raw, folded: raw.map(foldCharacter) };
    } else if (word !== undefined) {
      const raw = cut(word);
      yield { isSpaced: true, raw, word: cut(foldWord(raw)) };
    }
  }
}

/** Each character with the next one; the last alone, so that a query of one character finds it. */
function pairsOf(characters: readonly string[]): string[] {
  return characters.map((character, i) => character + (characters[i + 1] ?? ''));
}

const DICTIONARY = new Intl.Segmenter('zh', { granularity: 'word' });

/** The words of a run, each with its position in characters. */
function* dictionaryWords(characters: readonly string[]): Generator<{ word: string[]; at: number }> {
  for (let from = 0; from < characters.length; from += MAX_RUN_CHARS) {
    let at = from;
    for (const { segment } of DICTIONARY.segment(characters.slice(from, from + MAX_RUN_CHARS).join(''))) {
      const word = [...segment];
      yield { word, at };
      at += word.length;
    }
  }
}

/** Words of two characters are pairs already. */
function isDictionaryTerm({ length }: readonly string[]): boolean {
  return length > 2 && length <= MAX_DICTIONARY_CHARS;
}

function cut(word: string): string {
  if (word.length <= MAX_WORD_CHARS) return word;
  const end = /[\ud800-\udbff]/.test(word.charAt(MAX_WORD_CHARS - 1)) ? MAX_WORD_CHARS - 1 : MAX_WORD_CHARS;
  return word.slice(0, end);
}

/** Words of questions in English and Chinese that say nothing about their subject. */
const STOP_TERMS: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been being but by can cannot could d did do does doing done don doesn didn for from
   get got had has have having how i if in into is isn it its just let ll m may me my need no not of on or our please re s
   shall should so some t tell than that the their them then there these they this those to too us ve very want was we were
   what when where which who whom whose why will with won would you your yours
   什么 怎么 怎样 么样 如何 多少 哪些 哪个 哪里 可以 我们 你们 他们 请问 告诉 诉我 是否 能否 一下 一个 这个 那个 有没 没有 为什
   为什么 怎么样 怎么办 么办 为何 什么样 吗 呢 我的 你的 的话 想要 需要 应该 我想 是不 不是`.split(/\s+/),
);
const STOP_CHARACTERS: ReadonlySet<string> = new Set(
  '的了吗呢是我你他她它们在有和与或不这那哪什么怎如何多少几个一请问能会要可以为',
);
