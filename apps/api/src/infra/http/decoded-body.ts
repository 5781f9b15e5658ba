import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/**
 * Returns the body without its `Content-Encoding`; null when the encoding is unknown or there are several. Decodes
 * only as fast as it is read, in pieces of 16 KB, so a reader that counts bytes decides how much there will be.
 */
export function decodeBody(body: Readable, encoding: string | string[] | undefined): Readable | null {
  const name = String(encoding ?? 'identity').toLowerCase();
  if (name === 'identity' || name === '') return body;
  const decoder = DECODERS.get(name)?.();
  if (decoder === undefined) return null;
  // The reader of the decoder gets every error of the body.
  return pipeline(body, decoder, () => undefined);
}
