import type { KnowledgeEncoding, KnowledgeMediaType } from '@platform/contracts';
import type { Block } from './chunks.ts';
import { decodeText } from './decode-text.ts';
import { markdownBlocks } from './markdown-blocks.ts';
import type { OfficeType } from './office-blocks.ts';
import { Unreadable } from './unreadable.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

const MAX_TEXT_BYTES = 10 * 1024 * 1024;

export interface Source {
  data: Uint8Array;
  mediaType: KnowledgeMediaType;
  charset: string | null;
}

/** What a document says. */
export interface Extracted {
  blocks: Iterable<Block>;
  /** Recognized by the bytes; null if they are UTF-8, if the encoding was declared, or if the file is no text. */
  encoding: KnowledgeEncoding | null;
}

const OFFICE: Partial<Record<KnowledgeMediaType, OfficeType>> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/epub+zip': 'epub',
};

/** Reads the text of a document. Throws `Unreadable`. All readers but that of text are loaded only if they are needed. */
export async function extractBlocks({ data, mediaType, charset }: Source): Promise<Extracted> {
  if (mediaType === 'application/pdf') {
    const { pdfBlocks } = await import('./pdf-blocks.ts');
    return { blocks: await pdfBlocks(data, MAX_TEXT_BYTES), encoding: null };
  }
  const office = OFFICE[mediaType];
  if (office !== undefined) {
    const { officeBlocks } = await import('./office-blocks.ts');
    return { blocks: await officeBlocks(data, office, MAX_TEXT_BYTES), encoding: null };
  }
  if (mediaType === 'application/rtf') {
    const { rtfBlocks } = await import('./rtf-blocks.ts');
    return { blocks: rtfBlocks(data, MAX_TEXT_BYTES), encoding: null };
  }
  const { text, encoding } = decodeText(data, charset, mediaType === 'text/html');
  if (mediaType !== 'text/html') {
    assertSize(Buffer.byteLength(text));
    const blocks: Iterable<Block> =
      mediaType === 'text/markdown' ? markdownBlocks(text) : [{ kind: 'text', text }];
    return { blocks, encoding };
  }
  const { htmlBlocks } = await import('./html-blocks.ts');
  const blocks = htmlBlocks(text);
  assertSize(blocks.reduce((sum, block) => sum + ('text' in block ? Buffer.byteLength(block.text) : 0), 0));
  return { blocks, encoding };
}

function assertSize(bytes: number): void {
  if (bytes > MAX_TEXT_BYTES)
    throw new Unreadable(`The document has more than ${MAX_TEXT_BYTES / 1024 / 1024} MB of text.`);
}
