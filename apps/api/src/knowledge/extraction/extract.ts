import type { KnowledgeMediaType } from '@platform/contracts';
import type { Block } from './chunks.ts';
import { decodeText } from './decode-text.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import { Unreadable } from './unreadable.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

const MAX_TEXT_BYTES = 10 * 1024 * 1024;

export interface Source {
  data: Uint8Array;
  mediaType: KnowledgeMediaType;
  charset: string | null;
}

/** Reads the text of a document. Throws `Unreadable`. The readers of HTML and PDF are loaded only if they are needed. */
export async function extractBlocks({ data, mediaType, charset }: Source): Promise<Iterable<Block>> {
  if (mediaType === 'application/pdf') {
    const { pdfBlocks } = await import('./pdf-blocks.ts');
    return pdfBlocks(data, MAX_TEXT_BYTES);
  }
  const text = decodeText(data, charset, mediaType === 'text/html');
  if (mediaType !== 'text/html') {
    assertSize(Buffer.byteLength(text));
    return mediaType === 'text/markdown' ? markdownBlocks(text) : [{ kind: 'text', text }];
  }
  const { htmlBlocks } = await import('./html-blocks.ts');
  const blocks = htmlBlocks(text);
  assertSize(blocks.reduce((sum, block) => sum + ('text' in block ? Buffer.byteLength(block.text) : 0), 0));
  return blocks;
}

function assertSize(bytes: number): void {
  if (bytes > MAX_TEXT_BYTES)
    throw new Unreadable(`The document has more than ${MAX_TEXT_BYTES / 1024 / 1024} MB of text.`);
}
