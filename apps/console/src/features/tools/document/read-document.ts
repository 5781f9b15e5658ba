import type { ImportSource } from '@platform/openapi-import';
import { decodeText } from './decode-text.ts';
import { readFolder, readZip } from './read-files.ts';
import { ReadError, type RequestHeader, type TextSource } from './import-protocol.ts';

const MEGABYTE = 1024 * 1024;
/** Browsers treat these hosts as secure, also over HTTP. */
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

export interface ReadOptions {
  fetch: typeof fetch;
  /** Of the page: `https:` pages must not load `http:` documents. */
  pageProtocol: string;
  maxBytes: number;
}

/** Returns the text of a document. Throws a ReadError that tells apart why there is none. */
export async function readDocument(source: TextSource, options: ReadOptions): Promise<ImportSource> {
  switch (source.type) {
    case 'text':
      return { text: source.text };
    case 'file': {
      const { file } = source;
      if (file.size > options.maxBytes) throw tooLarge(options.maxBytes);
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (/\.zip$/i.test(file.name)) return readZip(bytes, options.maxBytes);
      return { text: decodeText(bytes), fileName: file.name };
    }
    case 'folder':
      return readFolder(source.files, options.maxBytes);
    case 'url':
      return fetchDocument(source.url.trim(), source.header, options);
  }
}

async function fetchDocument(
  address: string,
  header: RequestHeader | null,
  options: ReadOptions,
): Promise<ImportSource> {
  const url = parseAddress(address);
  const command = formatCurl(url, header);
  const isLocal = LOCAL_HOSTS.includes(url.hostname);
  if (options.pageProtocol === 'https:' && url.protocol === 'http:' && !isLocal) {
    throw new ReadError({ kind: 'mixed', command });
  }
  const headers = createHeaders(header);
  try {
    const response = await options.fetch(url.href, { headers, credentials: 'omit' });
    if (!response.ok) throw new ReadError({ kind: 'status', status: response.status });
    const { text, contentType } = await readText(response, options.maxBytes);
    if (isHtml(text, contentType)) throw new ReadError({ kind: 'html' });
    const documentUrl = response.url || url.href;
    const parts = { url: documentUrl, load: (part: string) => loadPart(part, documentUrl, header, options) };
    return { text, contentType, documentUrl, parts };
  } catch (error) {
    if (error instanceof ReadError) throw error;
    // An unreachable server, a missing CORS header, and a broken connection are the same TypeError.
    throw new ReadError({ kind: 'network', command }, { cause: error });
  }
}

/** A part of the document. The header, which can be a secret, is sent only to the server of the document. */
async function loadPart(
  part: string,
  documentUrl: string,
  header: RequestHeader | null,
  options: ReadOptions,
): Promise<{ text: string; contentType: string }> {
  const isOwn = new URL(part).origin === new URL(documentUrl).origin;
  const headers = createHeaders(isOwn ? header : null);
  let response: Response;
  try {
    response = await options.fetch(part, { headers, credentials: 'omit' });
  } catch (error) {
    throw new Error('It cannot be reached, or its server does not allow other websites to read it', {
      cause: error,
    });
  }
  if (!response.ok) throw new Error(`The server returned the status ${response.status}`);
  return readText(response, options.maxBytes);
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isUsable =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isUsable) throw new ReadError({ kind: 'invalid' });
  return url;
}

function createHeaders(header: RequestHeader | null): Headers {
  try {
    return new Headers(header === null ? {} : { [header.name]: header.value });
  } catch (error) {
    throw new ReadError({ kind: 'header' }, { cause: error });
  }
}

async function readText(
  response: Response,
  maxBytes: number,
): Promise<{ text: string; contentType: string }> {
  const contentType = response.headers.get('content-type') ?? '';
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
  return { text: decodeText(await readBytes(response, maxBytes), charset), contentType };
}

async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw tooLarge(maxBytes);
    }
    parts.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.byteLength;
  }
  return bytes;
}

const isHtml = (text: string, contentType: string): boolean =>
  /^\s*(?:<!doctype html|<html)/i.test(text.slice(0, 1_000)) ||
  (contentType.startsWith('text/html') && text.slice(0, 1_000).trimStart().startsWith('<'));

const tooLarge = (maxBytes: number) =>
  new ReadError({ kind: 'tooLarge', megabytes: Math.round(maxBytes / MEGABYTE) });

/** The value of the header is a secret, so the command has a placeholder for it. */
function formatCurl(url: URL, header: RequestHeader | null): string {
  const fileName = /\.ya?ml$/i.test(url.pathname) ? 'openapi.yaml' : 'openapi.json';
  const sent = header === null ? '' : ` -H ${quote(`${header.name}: …`)}`;
  return `curl -fL -o ${fileName}${sent} ${quote(url.href)}`;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
