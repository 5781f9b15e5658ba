import { Tokenizer, TokenizerMode, type Token } from 'parse5';
import type { Block } from './chunks.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

/** Elements whose content is no text of the page. */
const HIDDEN = new Map([
  ['script', TokenizerMode.SCRIPT_DATA],
  ['style', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['noscript', TokenizerMode.RAWTEXT],
  ['textarea', TokenizerMode.RCDATA],
  ['title', TokenizerMode.RCDATA],
]);
const CELLS: readonly string[] = ['td', 'th'];
/** Elements within a line. All others begin a new one. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const MAX_PIECES = 10_000;
const HEADING = /^h[1-6]$/;

/**
 * The headings and texts of an HTML page. It reads tags one by one and builds no tree, whose construction takes quadratic
 * time for deeply nested tags.
 */
export function htmlBlocks(html: string): Block[] {
  const reader = new HtmlReader();
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, reader);
  reader.tokenizer = tokenizer;
  tokenizer.write(html, true);
  return reader.end();
}

class HtmlReader {
  tokenizer!: Tokenizer;
  private readonly blocks: Block[] = [];
  /** What was read since the last heading, in pieces, and the pieces joined: millions of them would fill the memory. */
  private joined: string[] = [];
  private text: string[] = [];
  private hidden: string | null = null;
  private heading: number | null = null;
  private pre = 0;

  onStartTag({ tagName, selfClosing }: Token.TagToken): void {
    const mode = HIDDEN.get(tagName);
    if (mode !== undefined) {
      this.tokenizer.state = mode;
      this.tokenizer.lastStartTagName = tagName;
      this.hidden = tagName;
      return;
    }
    if (CELLS.includes(tagName)) this.push(' ');
    else if (!INLINE.has(tagName)) this.push('\n');
    if (tagName === 'pre' && !selfClosing) this.pre++;
    if (HEADING.test(tagName)) {
      this.flush();
      this.heading = Number(tagName.slice(1));
    }
  }

  onEndTag({ tagName }: Token.TagToken): void {
    if (this.hidden === tagName) {
      this.hidden = null;
      return;
    }
    if (HEADING.test(tagName)) this.flush();
    else if (!INLINE.has(tagName) && !CELLS.includes(tagName)) this.push('\n');
    if (tagName === 'pre') this.pre = Math.max(0, this.pre - 1);
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    if (this.hidden === null) this.push(chars);
  }

  onWhitespaceCharacter({ chars }: Token.CharacterToken): void {
    if (this.hidden === null) this.push(this.pre > 0 ? chars : ' ');
  }

  onNullCharacter(): void {
    this.push(' ');
  }

  onComment(): void {
    // Comments are no text.
  }

  onDoctype(): void {
    // Nor is the doctype.
  }

  onEof(): void {
    this.flush();
  }

  end(): Block[] {
    return this.blocks;
  }

  private push(piece: string): void {
    if (this.text.push(piece) < MAX_PIECES) return;
    this.joined.push(this.text.join(''));
    this.text = [];
  }

  private flush(): void {
    const text = tidy(this.joined.join('') + this.text.join(''));
    [this.joined, this.text] = [[], []];
    const level = this.heading;
    this.heading = null;
    if (text === '') return;
    if (level === null) this.blocks.push({ kind: 'text', text });
    else this.blocks.push({ kind: 'heading', level, text: text.replaceAll('\n', ' ') });
  }
}

/** Without spaces around lines, and with at most one empty line between two. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').trim());
  const kept = lines.filter((line, i) => line !== '' || (i > 0 && lines[i - 1] !== ''));
  return kept.join('\n').trim();
}
