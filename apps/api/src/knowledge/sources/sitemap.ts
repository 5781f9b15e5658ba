import { setImmediate } from 'node:timers/promises';
import { decodeBody } from '../../infra/requests/decoded-body.ts';
import { cleanText } from '../extraction/decode-text.ts';
import { Unreadable } from '../extraction/unreadable.ts';
import { readXmlBytes } from '../extraction/xml-reader.ts';

/** What a sitemap lists: pages, or other sitemaps. */
export interface Sitemap {
  isIndex: boolean;
  /** Without duplicates, in their order. */
  urls: string[];
  leftOut: { url: string; reason: string }[];
  /** Those that are left out beyond `leftOut`. */
  moreLeftOut: number;
}

/** Of a sitemap after decompression. */
const MAX_SITEMAP_BYTES = 10 * 1024 * 1024;
const MAX_ENTRIES = 50_000;
export const MAX_URL_CHARS = 2_048;
/** How many addresses are listed with the reason why they are left out. */
const MAX_LEFT_OUT = 100;
/** Of an address that is none, so that an index can hold it. */
const MAX_SHOWN_CHARS = 500;
const PIECE_BYTES = 32 * 1024;

/**
 * Reads a sitemap or an index of sitemaps, compressed or not, that was fetched from `address`. Addresses at other hosts are left out.
 * Throws `Unreadable`.
 */
export async function readSitemap(data: Buffer, address: URL, signal: AbortSignal): Promise<Sitemap> {
  const roots: string[] = [];
  let loc: string | null = null;
  let entries = 0;
  const urls = new Set<string>();
  const leftOut: Sitemap['leftOut'] = [];
  let moreLeftOut = 0;
  await readXmlBytes(unpack(data, signal), {
    open: (name, _, ancestors) => {
      if (ancestors.length === 1 && roots.length === 0) roots.push(name);
      if (isEntry(name, ancestors)) loc = '';
    },
    text: (text) => {
      // Longer than any address that is read; it is not collected further.
      if (loc !== null && loc.length <= MAX_URL_CHARS) loc += text;
    },
    close: (name, ancestors) => {
      if (loc === null || !isEntry(name, ancestors)) return;
      if (++entries > MAX_ENTRIES)
        throw new Unreadable(`The sitemap has more than ${MAX_ENTRIES} addresses.`);
      const listed = loc.trim();
      loc = null;
      const { url, reason } = checkAddress(listed, address);
      if (reason === null) urls.add(url);
      else if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ url, reason });
      else moreLeftOut++;
    },
  });
  return { isIndex: isIndexRoot(roots[0]), urls: [...urls], leftOut, moreLeftOut };
}

/** Whether the root element is that of an index. Throws `Unreadable` for those of other documents. */
function isIndexRoot(root: string | undefined): boolean {
  if (root === 'urlset' || root === 'sitemapindex') return root === 'sitemapindex';
  throw new Unreadable('This is not a sitemap: its root element must be urlset or sitemapindex.');
}

/** An address without its fragment, and why it is no address of the sitemap at `address`. */
function checkAddress(listed: string, address: URL): { url: string; reason: string | null } {
  const url = URL.parse(listed);
  const shown = cleanText(listed.slice(0, MAX_SHOWN_CHARS));
  if (listed.length > MAX_URL_CHARS)
    return { url: shown, reason: `The address has more than ${MAX_URL_CHARS} characters.` };
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return { url: shown, reason: 'This is not the address of a web page.' };
  url.hash = '';
  if (url.href.length > MAX_URL_CHARS)
    return { url: shown, reason: `The address has more than ${MAX_URL_CHARS} characters.` };
  if (url.host !== address.host)
    return { url: url.href, reason: `The address is at another host than the sitemap, ${address.host}.` };
  return { url: url.href, reason: null };
}

/** `loc` of a page or a sitemap, and not of an image on the page. */
function isEntry(name: string, ancestors: readonly string[]): boolean {
  const parent = ancestors.at(-2);
  return name === 'loc' && (parent === 'url' || parent === 'sitemap');
}

/** The bytes in pieces; requests are served in between. */
async function* unpack(data: Buffer, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const isPacked = data[0] === 0x1f && data[1] === 0x8b;
  const unpacked = decodeBody(pieces(data), isPacked ? 'gzip' : undefined, 1, signal) ?? pieces(data);
  let bytes = 0;
  try {
    for await (const piece of unpacked) {
      bytes += piece.length;
      if (bytes > MAX_SITEMAP_BYTES)
        throw new Unreadable(`The sitemap has more than ${MAX_SITEMAP_BYTES / 1024 / 1024} MB.`);
      yield piece;
      await setImmediate();
    }
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    signal.throwIfAborted();
    throw new Unreadable('The sitemap is damaged.', { cause: error });
  }
}

// Declared async because decoders read asynchronous pieces.
async function* pieces(data: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += PIECE_BYTES) yield data.subarray(at, at + PIECE_BYTES);
  await Promise.resolve();
}
