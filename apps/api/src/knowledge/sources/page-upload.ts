import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { cleanText } from '../extraction/decode-text.ts';
import { FILE_TYPES, mediaTypeOfResponse, type Upload } from '../documents/upload.ts';

const MAX_TITLE_CHARS = 200;
/** Where the title of a page is looked for. */
const HEAD_BYTES = 64 * 1024;
const TITLE = /<title(?:\s[^>]{0,200})?>([^<]{1,1000})/i;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
};

/** What a page says, as the upload of a document; or why it is none, as a sentence. */
export function toUpload(
  url: URL,
  contentType: string,
  data: Buffer,
): { upload: Upload; reason: null } | { upload: null; reason: string } {
  if (data.length === 0) return { upload: null, reason: 'The page is empty.' };
  const mediaType = mediaTypeOfResponse(url.pathname, contentType, data);
  if (mediaType === null) {
    const shown = cleanText(contentType.split(';')[0] ?? '')
      .trim()
      .slice(0, 100);
    return {
      upload: null,
      reason: `The page has the type ${shown || 'unknown'}, and must be ${FILE_TYPES}.`,
    };
  }
  const charset = /charset="?([\w-]{1,40})/i.exec(contentType)?.[1] ?? null;
  const title = (mediaType === 'text/html' && titleOf(data, charset)) || nameOf(url);
  return { upload: { title, fileName: null, mediaType, charset, data }, reason: null };
}

/** What tells whether a page has changed, with all that the reading of it depends on. */
export function hashOf({ title, mediaType, charset, data }: Upload): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([title, mediaType, charset]))
    .update(data)
    .digest();
}

/** The title of an HTML page; null if it has none. */
function titleOf(data: Buffer, declared: string | null): string | null {
  const head = data.subarray(0, HEAD_BYTES);
  const charset =
    declared ?? /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(head.toString('latin1'))?.[1];
  const title = TITLE.exec(decode(head, charset ?? 'utf-8'))?.[1] ?? '';
  const text = cleanText(title.replace(/&(#x?[0-9a-f]{1,6}|[a-z]{2,5});/gi, decodeEntity));
  return text.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_CHARS).toWellFormed() || null;
}

function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function decodeEntity(whole: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
  const isHex = name[1]?.toLowerCase() === 'x';
  const code = parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** The last part of the path, or the host. */
function nameOf(url: URL): string {
  const name = posix.basename(url.pathname);
  let readable = name;
  try {
    readable = decodeURIComponent(name);
  } catch {
    // It stays as it is.
  }
  return (
    cleanText(readable).trim().slice(0, MAX_TITLE_CHARS).toWellFormed() || url.host.slice(0, MAX_TITLE_CHARS)
  );
}
