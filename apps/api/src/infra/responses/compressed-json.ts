import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { isRelayPath } from '../routes/paths.ts';

/** Below this, a compressed body saves no packet. */
const MIN_BYTES = 1024;
const ENCODINGS = ['br', 'gzip'] as const;
/** A third of the time of the default levels, for a body that is a tenth larger. */
const BROTLI_QUALITY = 3;
const GZIP_LEVEL = 3;
/** 256 KB instead of 4 MB of memory per body. */
const BROTLI_WINDOW_BITS = 18;

/** What the client has stored with the response, and keeps: they would be half of one that says that nothing has changed. */
const STORED_HEADERS = [
  'Content-Security-Policy',
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'X-Content-Type-Options',
];

type Etag = (body: string, encoding: 'utf8') => string;

/**
 * Compresses what is sent with `res.json` if the client accepts it: the responses of the API above 1 KB. Streams and bytes are
 * written otherwise, and stay as they are, as does everything of the relay.
 */
export const compressJson: RequestHandler = (req, res, next) => {
  const accepted = req.headers['accept-encoding'];
  if (accepted !== undefined && !isRelayPath(req.path)) res.json = sendJson;
  next();
};

function sendJson(this: Response, body: unknown): Response {
  const text = JSON.stringify(body) as string | undefined;
  if (!this.get('Content-Type')) this.type('application/json');
  if (text === undefined) return this.send(text);
  const { req } = this as Response & { req: Request };
  if (text.length >= MIN_BYTES) this.vary('Accept-Encoding');
  // It is weak: one tag for the text, whatever its encoding.
  if (!this.get('ETag')) this.set('ETag', (this.app.get('etag fn') as Etag)(text, 'utf8'));
  if (req.fresh) {
    for (const name of STORED_HEADERS) this.removeHeader(name);
    return this.send(text);
  }
  if (text.length < MIN_BYTES) return this.send(text);
  const encoding = ENCODINGS.find((one) => req.acceptsEncodings(one) === one);
  if (encoding === undefined || this.get('Content-Encoding') !== undefined) return this.send(text);
  const bytes = Buffer.from(text);
  const done = (error: Error | null, compressed: Buffer) => {
    if (this.destroyed) return;
    if (error) this.send(text);
    else this.set('Content-Encoding', encoding).send(compressed);
  };
  if (encoding === 'gzip') gzip(bytes, { level: GZIP_LEVEL }, done);
  else brotliCompress(bytes, { params: brotliParams(bytes.length) }, done);
  return this;
}

const brotliParams = (size: number) => ({
  [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: size,
});
