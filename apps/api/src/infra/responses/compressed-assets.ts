import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import express, { type Request, type RequestHandler, type Response } from 'express';

type StaticOptions = NonNullable<Parameters<typeof express.static>[1]>;

/** Suffixes of the compressed copies that the build writes next to an asset, the smallest first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * Serves the compressed copy of a file in a folder if the client accepts one, and leaves everything else to the next
 * handler. The folder is listed once: a request can name only files that are in it.
 */
export function serveCompressed(
  folder: string,
  options: Pick<StaticOptions, 'immutable' | 'maxAge' | 'etag' | 'lastModified'>,
): RequestHandler {
  const copies = new Set(listFiles(folder).filter((name) => /\.(?:br|gz)$/.test(name)));
  const files = express.static(folder, { ...options, index: false, setHeaders: describeOriginal });
  return (req: Request, res: Response, next: (error?: unknown) => void) => {
    const name = req.path.slice(1);
    if (!copies.has(`${name}.br`) && !copies.has(`${name}.gz`)) {
      next();
      return;
    }
    res.vary('Accept-Encoding');
    const chosen = ENCODINGS.find(
      ([encoding, suffix]) => copies.has(name + suffix) && req.acceptsEncodings(encoding) === encoding,
    );
    if (chosen === undefined) {
      next();
      return;
    }
    const { url } = req;
    req.url = `/${name}${chosen[1]}`;
    res.setHeader('Content-Encoding', chosen[0]);
    files(req, res, (error?: unknown) => {
      req.url = url;
      res.removeHeader('Content-Encoding');
      next(error);
    });
  };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The console is not built.
    return [];
  }
}

/** The type is that of the file before its compression. */
function describeOriginal(res: Response, path: string): void {
  const original = path.slice(0, -extname(path).length);
  res.type(extname(original));
}
