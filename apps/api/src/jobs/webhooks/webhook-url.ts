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
  const path = maskedPath(url.pathname)
    .split('/')
    .map((segment) => (isKey(segment) ? MASK : segment))
    .join('/');
  const names = [...url.searchParams.keys()].map((name) => `${encodeURIComponent(name)}=${MASK}`);
  return `${url.origin}${path}${names.length > 0 ? `?${names.join('&')}` : ''}`;
}

/** What `maskUrl` leaves out of an address. A server may repeat it in its response. */
export function secretsOfUrl(address: string): string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const shown = maskUrl(address).split(/[/?]/);
  const hidden = url.pathname.split('/').filter((segment) => segment !== '' && !shown.includes(segment));
  return [...hidden, ...url.searchParams.values()];
}

const isKey = (segment: string) =>
  segment.length >= KEY_LENGTH && /\d/.test(segment) && /[a-z]/i.test(segment);
