import { extname } from 'node:path';
import type { KnowledgeMediaType } from '@platform/contracts';
import { invalid, invalidFor } from '../../infra/errors/app-error.ts';
import { unknownField } from '../../infra/errors/error-message.ts';
import { parseForm } from '../../infra/requests/multipart-form.ts';
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
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
const EXTENSIONS: ReadonlyMap<string, KnowledgeMediaType> = new Map([
  ['.txt', 'text/plain'],
  ['.text', 'text/plain'],
  ['.log', 'text/plain'],
  ['.csv', 'text/plain'],
  ['.json', 'text/plain'],
  ['.md', 'text/markdown'],
  ['.markdown', 'text/markdown'],
  ['.html', 'text/html'],
  ['.htm', 'text/html'],
  ['.xhtml', 'text/html'],
  ['.pdf', 'application/pdf'],
  ['.docx', DOCX],
  ['.docm', DOCX],
  ['.xlsx', XLSX],
  ['.xlsm', XLSX],
  ['.pptx', PPTX],
  ['.pptm', PPTX],
  ['.epub', 'application/epub+zip'],
  ['.rtf', 'application/rtf'],
]);
const MEDIA_TYPES: ReadonlyMap<string, KnowledgeMediaType> = new Map([
  ['application/json', 'text/plain'],
  ['text/markdown', 'text/markdown'],
  ['text/x-markdown', 'text/markdown'],
  ['text/html', 'text/html'],
  ['application/xhtml+xml', 'text/html'],
  ['application/pdf', 'application/pdf'],
  [DOCX, DOCX],
  [XLSX, XLSX],
  [PPTX, PPTX],
  ['application/epub+zip', 'application/epub+zip'],
  ['application/rtf', 'application/rtf'],
  ['text/rtf', 'application/rtf'],
]);
/** What can be uploaded. */
export const FILE_TYPES =
  'text, Markdown, HTML, CSV, JSON, PDF, Word (docx), Excel (xlsx), PowerPoint (pptx), EPUB, or RTF';

/** Reads either form of an upload; the body is undefined if there is none. Throws VALIDATION_ERROR. */
export async function readUpload(body: object | undefined, contentType: string): Promise<Upload> {
  return Buffer.isBuffer(body) ? readFormUpload(body, contentType) : readJsonUpload(body ?? {});
}

/** Reads the JSON form of an upload. */
function readJsonUpload(body: object): Upload {
  const { title, text, ...others } = body as Record<string, unknown>;
  const problems = Object.keys(others).map(unknownField);
  if (!isTitle(title)) problems.push(title == null ? 'title is required' : `title ${TITLE_RULE}`);
  if (text == null) problems.push('text is required');
  else if (typeof text !== 'string' || text.trim() === '')
    problems.push('text must be a text that is not blank');
  if (problems.length > 0) throw invalidFor(problems);
  const data = Buffer.from(String(text).toWellFormed());
  return { title: String(title).trim(), fileName: null, mediaType: 'text/markdown', charset: null, data };
}

/** Reads a multipart form with the fields `file` and, optionally, `title`. */
async function readFormUpload(body: Buffer, contentType: string): Promise<Upload> {
  const form = await parseForm(body, contentType, MAX_PARTS);
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
  if (mediaType === null) throw invalid(`file must be ${FILE_TYPES}`);
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
export function mediaTypeOf(
  { name, type }: { name: string; type: string },
  data: Uint8Array,
): KnowledgeMediaType | null {
  return mediaTypeOfBytes(data) ?? EXTENSIONS.get(extname(name).toLowerCase()) ?? declaredType(type);
}

/** Of a page: servers declare what the name does not say, and say the least about files that they do not know. */
export function mediaTypeOfResponse(path: string, type: string, data: Uint8Array): KnowledgeMediaType | null {
  const declared = declaredType(type);
  const isVague = declared === 'text/plain' || /^(application\/(octet-stream|zip)\b|$)/i.test(type.trim());
  const named = isVague ? EXTENSIONS.get(extname(path).toLowerCase()) : undefined;
  return mediaTypeOfBytes(data) ?? named ?? declared;
}

function mediaTypeOfBytes(data: Uint8Array): KnowledgeMediaType | null {
  const start = Buffer.from(data.subarray(0, 5)).toString('latin1');
  if (start === '%PDF-') return 'application/pdf';
  return start === '{\\rtf' ? 'application/rtf' : null;
}

function declaredType(type: string): KnowledgeMediaType | null {
  const declared = (type.split(';')[0] ?? '').trim().toLowerCase();
  return MEDIA_TYPES.get(declared) ?? (declared.startsWith('text/') ? 'text/plain' : null);
}

/** The bytes of the field `file` of a form with nothing else. */
export async function readOnlyFile(body: object | undefined, contentType: string): Promise<File> {
  if (!Buffer.isBuffer(body)) throw invalid('The body must be a multipart form with the field file');
  const form = await parseForm(body, contentType, MAX_PARTS);
  const problems = [...form.keys()].filter((key) => key !== 'file').map(unknownField);
  const [file, ...others] = form.getAll('file');
  if (!(file instanceof File) || others.length > 0) problems.push('file must be one file');
  if (problems.length > 0 || !(file instanceof File)) throw invalidFor(problems);
  return file;
}
