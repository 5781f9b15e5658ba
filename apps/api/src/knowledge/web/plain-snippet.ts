import { htmlBlocks } from '../extraction/html-blocks.ts';
import { cleanText } from '../extraction/decode-text.ts';

/** How much markup there may be around the text. */
const MARKUP = 4;

/** The text of a foreign snippet on one line, without markup and control characters; empty if it is not a text. */
export function plainSnippet(value: unknown, maxChars: number): string {
  if (typeof value !== 'string') return '';
  const blocks = htmlBlocks(value.slice(0, maxChars * MARKUP));
  const text = blocks.map((block) => ('text' in block ? block.text : '')).join(' ');
  return cleanText(text).replaceAll(/\s+/g, ' ').trim().slice(0, maxChars).toWellFormed();
}
