import traditional from 'opencc-js/dict/TSCharacters';
import stemmed from 'wink-porter2-stemmer';

// Runs in the extraction thread as well, which Node.js does not compile: only types that can be removed are allowed.

/** Traditional characters and their simplified forms: the first one if there are several. */
const SIMPLIFIED: ReadonlyMap<string, string> = new Map(
  traditional.split('|').map((pair): [string, string] => {
    const [from = '', to = ''] = pair.split(' ');
    return [from, to];
  }),
);

const ACCENTED = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{Mn}+/gu;
/** Letters that have no decomposition. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
};

/** A word in lower case without its accents. */
export function foldWord(word: string): string {
  // Most words, and the test is cheap.
  if (/^[\0-\x7f]*$/.test(word)) return word;
  return word
    .normalize('NFD')
    .replaceAll(ACCENTED, '$1')
    .normalize('NFC')
    .replaceAll(/[ßæœøđłı]/g, (letter) => LETTERS[letter] ?? letter);
}

/** One character for one. */
export function foldCharacter(character: string): string {
  return SIMPLIFIED.get(character) ?? character;
}

const MAX_STEMMED_CHARS = 32;
const MAX_CACHED = 20_000;
const cache = new Map<string, string>();

/** The English stem of a folded word; other words as they are. */
export function stemOf(word: string): string {
  if (word.length < 3 || word.length > MAX_STEMMED_CHARS || !/^[a-z]+$/.test(word)) return word;
  let stem = cache.get(word);
  if (stem === undefined) {
    stem = stemmed(IRREGULAR.get(word) ?? word);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(word, stem);
  }
  return stem;
}

/** Forms that no rule finds: the base form first. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `begin began begun|break broke broken|bring brought|build built|buy bought|catch caught|child children|choose chose chosen
   |come came|deal dealt|drive drove driven|eat ate eaten|fall fell fallen|feel felt|find found|fly flew flown
   |foot feet|forget forgot forgotten|freeze froze frozen|give gave given|go went gone|grow grew grown|hide hid hidden
   |hold held|keep kept|know knew known|lend lent|lose lost|make made|man men|meet met|mouse mice|pay paid|person people
   |ride rode ridden|rise rose risen|run ran|say said|see saw seen|sell sold|send sent|shrink shrank shrunk|sleep slept
   |speak spoke spoken|spend spent|steal stole stolen|swear swore sworn|take took taken|teach taught|tear tore torn|tell told
   |think thought|throw threw thrown|tooth teeth|understand understood|wear wore worn|win won|woman women|write wrote written`
    .split('|')
    .flatMap((line) => {
      const [base = '', ...forms] = line.trim().split(/\s+/);
      return forms.map((form): [string, string] => [form, base]);
    }),
);
