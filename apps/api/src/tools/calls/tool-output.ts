import type { ToolServerResponse } from '@platform/contracts';
import type { GuardedResponse } from '../../infra/outgoing/guarded-http.ts';
import { shapeProblem } from '../../infra/requests/json-shape.ts';
import type { Secrets } from '../../models/port/secrets.ts';
import { bareType, isBinaryType } from './media-types.ts';
import { isJsonType } from './serialize.ts';

/** Deeper output is text: not every reader could handle it. */
const MAX_DEPTH = 64;

export interface ToolOutput {
  output: unknown;
  warnings: string[];
}

/** Reads the body of a response: JSON if it is JSON, otherwise text; null if it is empty or binary. */
export function readOutput({ bytes, headers }: Pick<GuardedResponse, 'bytes' | 'headers'>): ToolOutput {
  if (bytes.length === 0) return { output: null, warnings: [] };
  const contentType = headers.get('content-type') ?? '';
  const isJson = contentType !== '' && isJsonType(contentType);
  const text = isBinaryType(bareType(contentType)) ? null : decodeText(bytes, contentType);
  if (text === null) {
    const kind = contentType === '' ? 'no media type' : contentType.slice(0, 100);
    return {
      output: null,
      warnings: [`The response is binary (${kind}, ${bytes.length} bytes) and is left out`],
    };
  }
  if (!isJson) return { output: text, warnings: [] };
  if (shapeProblem(bytes, MAX_DEPTH) !== null)
    return { output: text, warnings: ['The response has too many levels or parts to be read as JSON'] };
  try {
    return { output: JSON.parse(text), warnings: [] };
  } catch {
    return { output: text, warnings: ['The response is not valid JSON'] };
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
