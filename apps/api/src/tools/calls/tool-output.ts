import type { ToolServerResponse } from '@platform/contracts';
import type { GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { shortened } from '../../infra/errors/error-message.ts';
import { quoteInexactNumbers } from '../../infra/requests/json-numbers.ts';
import { shapeProblem } from '../../infra/requests/json-shape.ts';
import type { Secrets } from '../../models/port/secrets.ts';
import { ATTACHMENT } from './http-request-files.ts';
import { bareType, fileName, isBinaryType } from './media-types.ts';
import { isJsonType } from './serialize.ts';

/** Deeper output is text: not every reader could handle it. */
const MAX_DEPTH = 64;
const MAX_NAME = 200;

/** Numbers that are named in a warning. */
const MAX_NAMED = 5;

/** A response that is neither JSON nor text. */
export interface BinaryOutput {
  name: string;
  /** Without parameters. */
  mediaType: string;
  data: Buffer;
}

interface FileReference {
  /** As inputs name it; null if it was not kept. */
  attachment: string | null;
  name: string;
  mediaType: string;
  bytes: number;
}

export interface ToolOutput {
  output: unknown;
  warnings: string[];
  /** Whether the output is all of the response, in the form that it claims to have. */
  isRead: boolean;
  binary: BinaryOutput | null;
}

/**
 * Reads the body of a response: JSON if it is JSON, otherwise text; null if it is empty or binary. `wantsJson`: the method
 * returns JSON, so that JSON is read as such whatever its media type is.
 */
export function readOutput(
  { bytes, headers, url }: Pick<GuardedResponse, 'bytes' | 'headers' | 'url'>,
  wantsJson = false,
): ToolOutput {
  const read = (output: unknown, warnings: string[] = [], isRead = true): ToolOutput => ({
    output,
    warnings,
    isRead,
    binary: null,
  });
  if (bytes.length === 0) return read(null);
  const contentType = headers.get('content-type') ?? '';
  const mediaType = bareType(contentType);
  const isJson = contentType !== '' && isJsonType(contentType);
  const isMislabeled = !isJson && wantsJson && /^\s*[[{]/.test(bytes.toString('latin1', 0, 100));
  const text = isBinaryType(mediaType) && !isMislabeled ? null : decodeText(bytes, contentType);
  const json = text !== null && (isJson || isMislabeled) ? readJson(text) : null;
  if (json !== null && (isJson || json.isRead)) return read(json.output, json.warnings, json.isRead);
  if (text !== null && !isBinaryType(mediaType)) return read(text);
  const data = { name: nameOf(headers, url, mediaType), mediaType: mediaType || 'application/octet-stream' };
  return { ...read(null), binary: { ...data, data: bytes } };
}

function readJson(text: string): { output: unknown; warnings: string[]; isRead: boolean } {
  const bytes = Buffer.from(text);
  if (shapeProblem(bytes, MAX_DEPTH) !== null) {
    const warnings = ['The response has too many levels or parts to be read as JSON'];
    return { output: text, warnings, isRead: false };
  }
  try {
    const quoted = quoteInexactNumbers(bytes, MAX_NAMED);
    const output: unknown = JSON.parse(quoted === null ? text : quoted.json.toString());
    return { output, warnings: quoted === null ? [] : [inexactWarning(quoted)], isRead: true };
  } catch (error) {
    const problem = error instanceof RangeError ? 'has too many large numbers to be read as' : 'is not valid';
    return { output: text, warnings: [`The response ${problem} JSON`], isRead: false };
  }
}

function inexactWarning({ paths, count }: { paths: string[]; count: number }): string {
  const named = paths
    .map((path) => shortened(['output', path].join(path.startsWith('[') ? '' : '.'), 100))
    .join(', ');
  const more = count > paths.length ? `, and ${count - paths.length} more` : '';
  return `Strings in place of numbers that a number cannot hold exactly: ${named}${more}`;
}

/** The name that the server gives, otherwise that of the address if it has an extension, otherwise one by the type. */
function nameOf(headers: Headers, url: string, mediaType: string): string {
  const disposition = headers.get('content-disposition') ?? '';
  const [, encoded] = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]{1,600})/i.exec(disposition) ?? [];
  const [, quoted, bare] = /;\s*filename\s*=\s*(?:"([^"]{1,400})"|([^;\s"]{1,400}))/i.exec(disposition) ?? [];
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  const named = [
    unescaped(encoded ?? ''),
    quoted ?? bare ?? '',
    /\.\w{1,10}$/.test(last) ? unescaped(last) : '',
  ];
  const found = named.map(baseName).find((name) => name !== '');
  return found ?? fileName('response', mediaType);
}

/** The last part of a path, without what a file cannot have in its name. */
function baseName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  // Cut first, because a cut can leave half of a character, which cannot be stored.
  return last
    .slice(0, MAX_NAME)
    .replace(/[\p{C}<>:"|?*]/gu, '')
    .trim()
    .replace(/^\.+/, '');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Returns null if the bytes are not text. */
function decodeText(bytes: Buffer, contentType: string): string | null {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType) ?? [];
  const text = decode(bytes, charset) ?? decode(bytes, 'utf-8');
  return text === null || text.includes('\0') ? null : text;
}

function decode(bytes: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const NOT_KEPT = 'The response is a file. Files are kept only when an agent calls the method successfully';

/** What a caller receives in place of a file: a reference to it in the session; without a session, only its description. */
export async function keepFile(
  { name, mediaType, data }: BinaryOutput,
  save: ((file: { mime: string; data: Buffer }) => Promise<string>) | undefined,
  onFailure: (error: unknown) => void,
): Promise<{ output: FileReference; warnings: string[] }> {
  // Never rejects: the call has succeeded, and reporting a failure would have it repeated.
  const id = await save?.({ mime: mediaType, data }).catch((error: unknown) => onFailure(error));
  const attachment = id === undefined ? null : `${ATTACHMENT}${id}`;
  return {
    output: { attachment, name, mediaType, bytes: data.length },
    warnings: attachment === null ? [NOT_KEPT] : [],
  };
}

/** Masks secrets in every text of an output, keys included. */
export function maskOutput(output: unknown, secrets: Secrets): unknown {
  if (secrets.whole === null) return output;
  if (typeof output === 'string') return secrets.mask(output);
  if (typeof output === 'number') return secrets.isIn(String(output)) ? secrets.mask(String(output)) : output;
  if (typeof output !== 'object' || output === null) return output;
  if (Array.isArray(output)) return output.map((item) => maskOutput(item, secrets));
  return Object.fromEntries(
    Object.entries(output).map(([key, value]) => [secrets.mask(key), maskOutput(value, secrets)]),
  );
}

/** Returns what a caller may see of a response besides its output. Cookies can be as good as the credentials of the tool. */
export function describeResponse(
  { bytes, headers }: Pick<GuardedResponse, 'bytes' | 'headers'>,
  secrets: Secrets,
): ToolServerResponse {
  // Header values are bytes that were decoded as latin1.
  const inBytes = secrets.inBytes();
  const mask = (text: string) => inBytes.mask(secrets.mask(text));
  const cookies = headers.getSetCookie().map((cookie) => `${/^[^=;]*(?==)/.exec(cookie)?.[0] ?? ''}=***`);
  const all = [...headers].filter(([name]) => name !== 'set-cookie');
  if (cookies.length > 0) all.push(['set-cookie', cookies.join(', ')]);
  return {
    bytes: bytes.length,
    headers: Object.fromEntries(all.map(([name, value]) => [mask(name), mask(value)])),
  };
}
