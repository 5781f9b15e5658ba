import { addAbortSignal, pipeline, Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

type Bytes = AsyncIterable<Uint8Array>;
type Decoder = (body: Bytes, signal?: AbortSignal) => AsyncIterable<Buffer>;

/** The window that RFC 9659 allows: a larger one would take more memory than a response is worth. */
const MAX_ZSTD_WINDOW_LOG = 23;
/** The lower bits of the first byte of the zlib format, for the only method that it has. */
const DEFLATE_METHOD = 8;

const gunzip = through(createGunzip);
const DECODERS = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', through(createBrotliDecompress)],
  [
    'zstd',
    through(() => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG } })),
  ],
]);

/**
 * Returns the decompressed body, or null if an encoding is unknown or there are too many: each costs memory. Reading it fails
 * if it ends before its format says so. Decodes only as fast as it is read, in chunks of 16 KB, so that a reader that counts
 * bytes can stop at its limit. Kilobytes of empty parts, compressed again and again, take hours without a byte for the
 * reader: `signal` ends that.
 */
export function decodeBody<T extends Uint8Array>(
  body: AsyncIterable<T>,
  encoding: string | string[] | undefined,
  maxEncodings = 1,
  signal?: AbortSignal,
): AsyncIterable<T | Buffer> | null {
  const names = String(encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const decoders = names.map((name) => DECODERS.get(name));
  if (decoders.length > maxEncodings) return null;
  // The last encoding was applied last.
  return decoders.reduceRight<AsyncIterable<T | Buffer> | null>(
    (read, decoder) => (read === null || decoder === undefined ? null : decoder(read, signal)),
    body,
  );
}

function through(create: () => Transform): Decoder {
  // The reader of the decoder receives every error of the body.
  return (body, signal) => {
    const decoder = pipeline(Readable.from(body), create(), () => undefined);
    return signal === undefined ? decoder : addAbortSignal(signal, decoder);
  };
}

/** Some servers send `deflate` without the zlib format around it, which its first byte tells. */
async function* inflate(body: Bytes, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const rest = body[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done === true) return;
  const isZlib = ((first.value[0] ?? 0) & 0x0f) === DEFLATE_METHOD;
  yield* through(isZlib ? createInflate : createInflateRaw)(joined(first.value, rest), signal);
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
