declare module 'wink-porter2-stemmer' {
  /** The stem of an English word in lower case, by the second Porter algorithm, which is Snowball's. */
  export default function stem(word: string): string;
}

declare module 'opencc-js/dict/TSCharacters' {
  /** `traditional simplified|…`; a pair can name several simplified characters. */
  const pairs: string;
  export default pairs;
}
