/** What a piece of code is. */
type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'plain';

interface CodeToken {
  kind: TokenKind;
  text: string;
}

/** Longer texts are shown without colors, so that the browser stays fast. */
const MAX_COLORED = 40_000;

const STRINGS = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`;
const TEMPLATE = '`(?:[^`\\\\]|\\\\[\\s\\S])*`?';
const NUMBER = String.raw`\b\d[\w.]*`;
const WORD = String.raw`[A-Za-z_$][\w$]*`;
const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`;

/** Comments by family of languages. */
const COMMENTS = {
  slashes: SLASHES,
  hashes: '#[^\\n]*',
  dashes: String.raw`--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)`,
  none: '(?!)',
} as const;

const WORDS = {
  code:
    'abstract as async await break case catch class const continue default defer delete do else enum export extends ' +
    'false final finally fn for from func function go goto if impl implements import in instanceof interface is let ' +
    'loop match mod module mut namespace new nil null of override package private protected pub public readonly ' +
    'return self static struct super switch this throw throws trait true try type typeof undefined union unsafe use ' +
    'using var void where while with yield boolean bool int long float double char string number byte',
  script:
    'and as assert async await begin break case class continue def del do done elif else end esac except export ' +
    'False fi finally for from function global if import in is lambda let local module None nonlocal not or pass ' +
    'raise rescue return self super then True try unless until when while with yield true false null echo',
  sql:
    'add all alter and any as asc begin between by case commit create cross delete desc distinct drop else end exists ' +
    'false foreign from full group having if in index inner insert into is join key left like limit not null offset ' +
    'on or order outer over partition primary references returning right rollback select set table then true union ' +
    'unique update using values view when where with',
  data: 'true false null yes no',
} as const;

const LANGUAGES: Record<string, [keyof typeof COMMENTS, keyof typeof WORDS]> = {
  ...family('js jsx ts tsx javascript typescript java c h cpp cs go rust rs swift kotlin kt php scala dart', [
    'slashes',
    'code',
  ]),
  ...family('py python rb ruby sh bash shell zsh fish r perl elixir', ['hashes', 'script']),
  ...family('yaml yml toml ini dockerfile', ['hashes', 'data']),
  ...family('sql postgresql mysql', ['dashes', 'sql']),
  ...family('json json5 jsonc', ['slashes', 'data']),
  ...family('css scss less graphql', ['slashes', 'data']),
  ...family('html xml markdown md', ['none', 'data']),
};

/** Splits code into tokens. The result, joined, is the code; a language that is not known is one plain token. */
export function highlight(code: string, language: string): CodeToken[] {
  const known = LANGUAGES[language.toLowerCase()];
  if (known === undefined || code.length > MAX_COLORED) return [{ kind: 'plain', text: code }];
  const [comments, list] = known;
  const isSql = list === 'sql';
  const words = new Set(WORDS[list].split(' '));
  const tokens: CodeToken[] = [];
  const add = (kind: TokenKind, text: string) => {
    if (text === '') return;
    const last = tokens.at(-1);
    if (last?.kind === kind) last.text += text;
    else tokens.push({ kind, text });
  };
  const pattern = new RegExp(`(${COMMENTS[comments]})|(${STRINGS}|${TEMPLATE})|(${NUMBER})|(${WORD})`, 'g');
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [text, comment, string, number] = match;
    add('plain', code.slice(end, match.index));
    const isWord = words.has(isSql ? text.toLowerCase() : text);
    add(
      comment !== undefined
        ? 'comment'
        : string !== undefined
          ? 'string'
          : number !== undefined
            ? 'number'
            : isWord
              ? 'keyword'
              : 'plain',
      text,
    );
    end = match.index + text.length;
  }
  add('plain', code.slice(end));
  return tokens;
}

function family<T>(names: string, value: T): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]));
}
