import { getDocumentProxy } from 'unpdf';
import { cleanText } from './decode-text.ts';
import type { Block } from './chunks.ts';
import { Unreadable } from './unreadable.ts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

const MAX_PAGES = 5_000;
/** Of one array. The streams of a page are decompressed into one. */
const MAX_ARRAY_BYTES = 64 * 1024 * 1024;
/** Of all arrays together, whether they are still used or not. */
const MAX_ARRAYS_BYTES = 4 * 1024 * 1024 * 1024;

/** The text of a PDF, page by page. Throws `Unreadable`. */
export async function pdfBlocks(data: Uint8Array, maxTextBytes: number): Promise<Block[]> {
  const limits = limitArrays();
  try {
    return await readPages(data, maxTextBytes);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    if (limits.isExceeded()) throw new Unreadable('The PDF decompresses to more than can be read.');
    const { name = '' } = error as { name?: string };
    if (name === 'PasswordException')
      throw new Unreadable('The PDF is encrypted. Remove its password, and upload it again.');
    throw new Unreadable('The PDF is damaged or not valid.');
  }
}

async function readPages(data: Uint8Array, maxTextBytes: number): Promise<Block[]> {
  const pdf = await getDocumentProxy(data, { verbosity: 0, disableFontFace: true, useSystemFonts: false });
  if (pdf.numPages > MAX_PAGES)
    throw new Unreadable(`The PDF has ${pdf.numPages} pages; at most ${MAX_PAGES} can be read.`);
  const blocks: Block[] = [];
  let bytes = 0;
  for (let n = 1; n <= pdf.numPages; n++) {
    const page = await pdf.getPage(n);
    const { items } = await page.getTextContent();
    const text = cleanText(
      items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''),
    );
    page.cleanup();
    if (text.trim() === '') continue;
    bytes += Buffer.byteLength(text);
    if (bytes > maxTextBytes) break;
    blocks.push({ kind: 'page', n }, { kind: 'text', text });
  }
  if (bytes > maxTextBytes)
    throw new Unreadable(`The document has more than ${maxTextBytes / 1024 / 1024} MB of text.`);
  if (blocks.length === 0)
    throw new Unreadable('The PDF contains no text. If it was scanned, recognize its text first.');
  return blocks;
}

/**
 * Limits the arrays that the PDF library allocates. They are not part of the heap that the thread is limited to, and a PDF
 * of a few KB can decompress to gigabytes.
 */
function limitArrays(): { isExceeded: () => boolean } {
  // Decompresses outside of JavaScript, where nothing is counted. The library has a decoder of its own.
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
  let [total, isExceeded] = [0, false];
  globalThis.Uint8Array = new Proxy(Uint8Array, {
    construct(target, args: unknown[], newTarget) {
      const [first] = args;
      const size = typeof first === 'number' ? first : 0;
      total += size;
      isExceeded ||= size > MAX_ARRAY_BYTES || total > MAX_ARRAYS_BYTES;
      if (isExceeded) throw new RangeError('Too many bytes');
      return Reflect.construct(target, args, newTarget) as Uint8Array;
    },
  });
  return { isExceeded: () => isExceeded };
}
