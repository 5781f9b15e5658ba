import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/**
 * Returns the decompressed body, or null if the encoding is unknown or there are several. Decodes only as fast as it
 * is read, in chunks of 16 KB, so that a reader that counts bytes can stop at its limit.
 */
export function decodeBody(
  body: AsyncIterable<Buffer>,
  encoding: string | string[] | undefined,
): AsyncIterable<Buffer> | null {
  const name = String(encoding ?? 'identity').toLowerCase();
  if (name === 'identity' || name === '') return body;
  const decoder = DECODERS.get(name)?.();
  if (decoder === undefined) return null;
  // The reader of the decoder receives every error of the body.
  return pipeline(Readable.from(body), decoder, () => undefined);
}
