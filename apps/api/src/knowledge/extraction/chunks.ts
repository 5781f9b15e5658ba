// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

import { shortenText } from '../../infra/runtime/shorten-text.ts';

/** A part of a document in its order. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'page'; n: number }
  /** Lines end with a line feed. */
  | { kind: 'text'; text: string };

/** A passage of a document. */
export interface Chunk {
  heading: string;
  text: string;
}

/** UTF-8: about 400 tokens, whatever the script. */
export const MAX_CHUNK_BYTES = 1_600;
/** What a chunk repeats of the one before it. */
const OVERLAP_BYTES = 200;
/** A heading begins a new chunk unless the current one is smaller. */
const MIN_CHUNK_BYTES = 400;
const MAX_HEADING_CHARS = 120;

/** Cuts a document into chunks at headings, line ends, sentences, and words. Linear, whatever the text is. */
export function* cutChunks(blocks: Iterable<Block>): Generator<Chunk> {
  const cutter = new Cutter();
  for (const block of blocks) yield* cutter.add(block);
  yield* cutter.flush(false);
}

class Cutter {
  /** The headings above the current position, by level. */
  private readonly path: string[] = [];
  private heading = '';
  private parts: string[] = [];
  private bytes = 0;
  /** Whether there is anything but what the chunk repeats. */
  private hasNew = false;

  *add(block: Block): Generator<Chunk> {
    switch (block.kind) {
      case 'heading':
        yield* this.enter(block.level, block.text);
        yield* this.addLine(block.text);
        break;
      case 'page':
        yield* this.enter(1, `Page ${block.n}`);
        break;
      case 'text':
        for (const line of linesOf(block.text)) yield* this.addLine(line);
        break;
    }
  }

  /** Ends the current chunk, and begins one that repeats its end if `overlap`. */
  *flush(overlap: boolean): Generator<Chunk> {
    const text = this.parts.join('\n').trim();
    const { heading, hasNew } = this;
    const kept = overlap && hasNew ? endOf(text) : '';
    this.parts = kept === '' ? [] : [kept];
    this.bytes = Buffer.byteLength(kept);
    this.hasNew = false;
    this.heading = this.path.filter((part) => part !== '').join(' > ');
    if (hasNew && text !== '') yield { heading, text };
  }

  /** Small sections share a chunk, which has the heading of the first. */
  private *enter(level: number, text: string): Generator<Chunk> {
    while (this.path.length < level - 1) this.path.push('');
    this.path.length = level - 1;
    this.path.push(shortenText(text, MAX_HEADING_CHARS));
    if (this.bytes >= MIN_CHUNK_BYTES || !this.hasNew) yield* this.flush(false);
  }

  private *addLine(line: string): Generator<Chunk> {
    for (const piece of splitLine(line)) {
      const size = Buffer.byteLength(piece) + 1;
      if (this.bytes + size > MAX_CHUNK_BYTES) yield* this.flush(true);
      // What is repeated must not make a chunk too large.
      if (this.bytes + size > MAX_CHUNK_BYTES) yield* this.flush(false);
      this.parts.push(piece);
      this.bytes += size;
      this.hasNew ||= piece.trim() !== '';
    }
  }
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length;) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    yield text.slice(start, end).trimEnd();
    start = end + 1;
  }
}

/** Cuts a line into pieces that fit into a chunk: after a sentence, otherwise after a word, otherwise anywhere. */
function* splitLine(line: string): Generator<string> {
  for (let start = 0; start < line.length || start === 0;) {
    let [end, bytes, sentence, word] = [start, 0, 0, 0];
    while (end < line.length) {
      const code = line.codePointAt(end) ?? 0;
      const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (bytes + size >= MAX_CHUNK_BYTES - OVERLAP_BYTES) break;
      bytes += size;
      end += code < 0x10000 ? 1 : 2;
      if (bytes < MAX_CHUNK_BYTES / 2) continue;
      if (isSpace(code)) word = end;
      if (isSentenceEnd(code) && (code > 0x7f || isSpace(line.charCodeAt(end)))) sentence = end;
    }
    if (end < line.length) end = sentence || word || end;
    yield line.slice(start, end);
    if (end >= line.length) return;
    start = end;
  }
}

/** The last words of a text, which the next chunk repeats. */
function endOf(text: string): string {
  const tail = text.slice(-OVERLAP_BYTES);
  const [space] = /\s/.exec(tail) ?? [];
  let kept = space === undefined ? tail : tail.slice(tail.indexOf(space) + 1);
  while (Buffer.byteLength(kept) > OVERLAP_BYTES) kept = kept.slice(Math.ceil(kept.length / 4));
  return kept.toWellFormed().replaceAll('\ufffd', '').trim();
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0xa0 || code === 0x3000;
}

/** `.`, `!`, `?`, `;`, and their CJK forms. */
function isSentenceEnd(code: number): boolean {
  return [0x2e, 0x21, 0x3f, 0x3b, 0x3002, 0xff01, 0xff1f, 0xff1b].includes(code);
}
