import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isText } from '../../infra/requests/text.ts';
import { maskedPath } from '../../infra/routes/paths.ts';

const MAX_LENGTH = 2_000;
/** What `isWebhookUrl` accepts. */
export const WEBHOOK_URL = `an http: or https: URL without credentials, at most ${MAX_LENGTH} characters`;
const MASK = '***';
/** A part of a path that is as long as this and mixes letters and digits can be a key, as in the addresses of chats. */
const KEY_LENGTH = 16;

/** Returns the problems of a `webhook` field. */
export function checkWebhook(value: unknown, path: string): string[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path} must be an object with url`];
  const problems = unknownFieldProblems(value, ['url'], path);
  const { url } = value as { url?: unknown };
  return isWebhookUrl(url) ? problems : [...problems, `${path}.url must be ${WEBHOOK_URL}`];
}

/** Returns whether webhooks can be sent to an address. */
export function isWebhookUrl(text: unknown): boolean {
  if (!isText(text) || text.length > MAX_LENGTH) return false;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** The address of an endpoint without what may be a secret: keys in its path, and the values of its query. */
export function maskUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return MASK;
  const path = url.pathname.split('/').map(masked).join('/');
  const query = pairsOf(url).map(([name, value]) => (value === null ? MASK : `${masked(name)}=${MASK}`));
  return `${url.origin}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

/** What `maskUrl` leaves out of an address, as it is written, and decoded. A server may repeat it in its response. */
export function secretsOfUrl(address: string): string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const named = [...url.pathname.split('/'), ...pairsOf(url).map(([name]) => name)];
  const values = pairsOf(url).map(([name, value]) => value ?? name);
  const hidden = [...named.filter((text) => masked(text) === MASK), ...values];
  return [...new Set(hidden.flatMap((text) => [text, decode(text)]))];
}

/** The names and values of a query, as they are written. A part without `=` has no value, and may be a key. */
function pairsOf({ search }: URL): [string, string | null][] {
  const parts = search.slice(1).split('&').filter(Boolean);
  return parts.map((part) => {
    const end = part.indexOf('=');
    return end === -1 ? [part, null] : [part.slice(0, end), part.slice(end + 1)];
  });
}

const masked = (text: string) => (isKey(text) || maskedPath(text) !== text ? MASK : text);
const isKey = (text: string) => text.length >= KEY_LENGTH && /\d/.test(text) && /[a-z]/i.test(text);
const decode = (text: string) => new URLSearchParams(`=${text}`).get('') ?? '';
