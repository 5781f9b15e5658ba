import { extname } from 'node:path';
import type { KnowledgeMediaType } from '@platform/contracts';
import { invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { unknownField } from '../../infra/errors/error-message.ts';
import { isText } from '../../infra/requests/text.ts';
import { cleanText } from '../extraction/decode-text.ts';

/** A document as it was sent. */
export interface Upload {
  title: string;
  fileName: string | null;
  mediaType: KnowledgeMediaType;
  charset: string | null;
  data: Uint8Array;
}

const MAX_TITLE_CHARS = 200;
const MAX_PARTS = 8;
const EXTENSIONS: ReadonlyMap<string, KnowledgeMediaType> = new Map([
  ['.txt', 'text/plain'],
  ['.text', 'text/plain'],
  ['.log', 'text/plain'],
  ['.csv', 'text/plain'],
  ['.md', 'text/markdown'],
  ['.markdown', 'text/markdown'],
  ['.html', 'text/html'],
  ['.htm', 'text/html'],
  ['.xhtml', 'text/html'],
  ['.pdf', 'application/pdf'],
]);
const MEDIA_TYPES: ReadonlyMap<string, KnowledgeMediaType> = new Map([
  ['text/markdown', 'text/markdown'],
  ['text/x-markdown', 'text/markdown'],
  ['text/html', 'text/html'],
  ['application/xhtml+xml', 'text/html'],
  ['application/pdf', 'application/pdf'],
]);

/** Reads either form of an upload; the body is undefined if there is none. Throws VALIDATION_ERROR. */
export async function readUpload(body: object | undefined, contentType: string): Promise<Upload> {
  return Buffer.isBuffer(body) ? readFormUpload(body, contentType) : readJsonUpload(body ?? {});
}

/** Reads the JSON form of an upload. */
function readJsonUpload(body: object): Upload {
  const { title, text, ...others } = body as Record<string, unknown>;
  const problems = Object.keys(others).map(unknownField);
  if (!isTitle(title)) problems.push(`title ${TITLE_RULE}`);
  if (typeof text !== 'string' || text.trim() === '') problems.push('text must be a text that is not blank');
  if (problems.length > 0) throw invalidFor(problems);
  const data = Buffer.from(String(text).toWellFormed());
  return { title: String(title).trim(), fileName: null, mediaType: 'text/markdown', charset: null, data };
}

/** Reads a multipart form with the fields `file` and, optionally, `title`. */
async function readFormUpload(body: Buffer, contentType: string): Promise<Upload> {
  const form = await parseForm(body, contentType);
  const problems = [...form.keys()].filter((key) => key !== 'file' && key !== 'title').map(unknownField);
  const [file, ...otherFiles] = form.getAll('file');
  if (!(file instanceof File) || otherFiles.length > 0) problems.push('file must be one file');
  const given = form.get('title');
  const title = typeof given === 'string' ? given.trim() : null;
  if (given !== null && !isTitle(given)) problems.push(`title ${TITLE_RULE}`);
  if (problems.length > 0 || !(file instanceof File)) throw invalidFor(problems);
  const fileName = cleanText(file.name).trim().slice(0, MAX_TITLE_CHARS).toWellFormed();
  const data = new Uint8Array(await file.arrayBuffer());
  if (data.length === 0) throw invalid('file must not be empty');
  const mediaType = mediaTypeOf(file, data);
  if (mediaType === null) throw invalid('file must be text, Markdown, HTML, or PDF');
  return {
    title: title ?? (fileName || 'Untitled'),
    fileName: fileName || null,
    mediaType,
    charset: /charset="?([\w-]{1,40})/i.exec(file.type)?.[1] ?? null,
    data,
  };
}

const TITLE_RULE = `must be a text of 1 to ${MAX_TITLE_CHARS} characters that is not blank`;

function isTitle(value: unknown): boolean {
  return isText(value) && value.trim() !== '' && value.length <= MAX_TITLE_CHARS;
}

/** The bytes decide first, then the name, then the declared type. */
function mediaTypeOf({ name, type }: File, data: Uint8Array): KnowledgeMediaType | null {
  if (Buffer.from(data.subarray(0, 5)).toString('latin1') === '%PDF-') return 'application/pdf';
  const declared = (type.split(';')[0] ?? '').trim().toLowerCase();
  return (
    EXTENSIONS.get(extname(name).toLowerCase()) ??
    MEDIA_TYPES.get(declared) ??
    (declared.startsWith('text/') ? 'text/plain' : null)
  );
}

async function parseForm(body: Buffer, contentType: string): Promise<FormData> {
  const boundary = /boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType);
  const separator = `--${boundary?.[1] ?? boundary?.[2] ?? ''}`;
  // Every part becomes an object; a body of 25 MB has room for hundreds of thousands.
  let parts = 0;
  for (let at = body.indexOf(separator); at >= 0 && parts <= MAX_PARTS + 1; parts++)
    at = body.indexOf(separator, at + separator.length);
  if (boundary === null || parts > MAX_PARTS + 1)
    throw invalid(`The body must be a multipart form with at most ${MAX_PARTS} fields`);
  try {
    return await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType } }).formData();
  } catch {
    throw invalid('The body is not a valid multipart form');
  }
}
