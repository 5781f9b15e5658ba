import type { Block } from './chunks.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

/** The headings of a Markdown text, and the text between them as it is. */
export function* markdownBlocks(text: string): Generator<Block> {
  let fence: string | null = null;
  let from = 0;
  for (let start = 0; start < text.length;) {
    const next = text.indexOf('\n', start);
    const end = next < 0 ? text.length : next;
    // Only the beginning of a line decides, and a line can be the whole document.
    const head = text.slice(start, Math.min(end, start + 16)).trimStart();
    const opened = /^(```|~~~)/.exec(head)?.[1];
    if (opened !== undefined) fence = fence === null ? opened : fence === opened ? null : fence;
    const marks = fence === null ? /^(#{1,6})(?:[ \t]|$)/.exec(head)?.[1] : undefined;
    if (marks !== undefined) {
      if (from < start) yield { kind: 'text', text: text.slice(from, start) };
      const heading = text.slice(start, end).trim().slice(marks.length).trim();
      yield { kind: 'heading', level: marks.length, text: heading };
      from = end + 1;
    }
    start = end + 1;
  }
  if (from < text.length) yield { kind: 'text', text: text.slice(from) };
}
