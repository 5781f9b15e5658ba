import type { Block } from './chunks.ts';
import { cleanText } from './decode-text.ts';
import { Unreadable } from './unreadable.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

const MAX_DEPTH = 1_000;
/** Groups that hold no text of the document. */
const HIDDEN: ReadonlySet<string> = new Set(
  'fonttbl colortbl stylesheet info pict object themedata colorschememapping datastore latentstyles listtable listoverridetable rsidtbl generator header footer headerl headerr headerf footerl footerr footerf fldinst xmlnstbl'.split(
    ' ',
  ),
);
const BREAKS: ReadonlySet<string> = new Set(['par', 'line', 'sect', 'page', 'row']);
const SIGNS: Readonly<Record<string, string>> = {
  tab: '\t',
  cell: ' ',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
};
/** Code pages of Windows that `TextDecoder` has under another name. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
};
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|([^\\{}]+)/gi;

interface Group {
  isHidden: boolean;
  /** How many characters follow `\\u` for readers that do not know it. */
  skipped: number;
}

/** The text of an RTF file, in one pass. Throws `Unreadable`. */
export function rtfBlocks(data: Uint8Array, maxTextBytes: number): Block[] {
  const source = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1');
  if (!source.startsWith('{\\rtf')) throw new Unreadable('The file is not of the type that its name says.');
  const text: string[] = [];
  const groups: Group[] = [];
  let group: Group = { isHidden: false, skipped: 1 };
  let [decoder, toSkip, chars] = [new TextDecoder('windows-1252'), 0, 0];
  let bytes: number[] = [];
  const push = (piece: string) => {
    if (group.isHidden) return;
    chars += piece.length;
    if (chars > maxTextBytes)
      throw new Unreadable(`The document has more than ${maxTextBytes / 1024 / 1024} MB of text.`);
    text.push(piece);
  };
  // A character of a code page can have two bytes, each with an escape of its own.
  const flush = () => {
    if (bytes.length > 0) push(decoder.decode(Uint8Array.from(bytes)));
    bytes = [];
  };
  for (const [, word, number, hex, symbol, brace, plain] of source.matchAll(TOKEN)) {
    if (hex !== undefined) {
      if (toSkip > 0) toSkip--;
      else if (!group.isHidden) bytes.push(Number.parseInt(hex, 16));
      if (bytes.length > 1_024) flush();
      continue;
    }
    flush();
    if (brace === '{') {
      if (groups.push(group) > MAX_DEPTH)
        throw new Unreadable('The groups of the document are nested too deeply.');
      group = { ...group };
    } else if (brace === '}') group = groups.pop() ?? group;
    else if (symbol === '*') group.isHidden = true;
    else if (symbol === '\n' || symbol === '\r') push('\n');
    else if (symbol !== undefined)
      push(symbol === '~' ? ' ' : symbol === '-' ? '' : symbol === '_' ? '-' : symbol);
    else if (plain !== undefined) {
      const kept = plain.replaceAll(/[\r\n]/g, '');
      push(kept.slice(Math.min(toSkip, kept.length)));
      toSkip = Math.max(0, toSkip - kept.length);
    } else if (word === 'bin') throw new Unreadable('The document contains binary data that cannot be read.');
    else if (word !== undefined) {
      const name = word.toLowerCase();
      toSkip = 0;
      if (HIDDEN.has(name)) group.isHidden = true;
      else if (name === 'u') {
        push(String.fromCharCode(Number(number) & 0xffff));
        toSkip = group.skipped;
      } else if (name === 'uc') group.skipped = Math.max(0, Math.min(16, Number(number)));
      else if (name === 'ansicpg') decoder = decoderOf(number ?? '');
      else if (BREAKS.has(name)) push('\n');
      else push(SIGNS[name] ?? '');
    }
  }
  flush();
  return [{ kind: 'text', text: cleanText(text.join('')) }];
}

function decoderOf(codePage: string): TextDecoder {
  try {
    return new TextDecoder(CODE_PAGES[codePage] ?? `windows-${codePage}`);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
