import type { Request } from 'express';

/** Everything of the service itself lives under this; the relay alone does not. */
export const API_PREFIX = '/api';
export const RELAY_PREFIX = '/models/v1';

/** Whether an OpenAI client asks; routes match in any case. */
export function isRelayPath(path: string): boolean {
  return /^\/models\/v1(\/|$)/i.test(path);
}

/** Whether an address belongs to the service, and so must never be answered by the console's page. */
export function isServicePath(path: string): boolean {
  return /^\/(api|models|metrics)(\/|$)/.test(path);
}

/** As it was asked for: below a prefix `req.path` is only the rest, and a query may hold secrets. */
export function pathOf(req: Pick<Request, 'originalUrl'>): string {
  return req.originalUrl.replace(/\?.*$/s, '');
}

/** Keys of ours and of model servers, and secrets of webhooks, by their beginning. */
const KEY = /^(pk|app|whsec|sk|bearer)[_-]/i;
const KEY_LENGTH = 12;
/** Longer than any id of ours. */
const TOKEN_LENGTH = 40;
/** Shorter parts between dots are names of files. */
const TOKEN_PART_LENGTH = 16;

/** A path for the log: the segments in which somebody may have pasted a secret are left out. */
export function maskedPath(path: string): string {
  return path
    .split('/')
    .map((segment) => (tokensOf(segment).some(isSecret) ? '***' : segment))
    .join('/');
}

function tokensOf(segment: string): string[] {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // What cannot be decoded is judged as it stands.
  }
  return text.split(/[^\w.-]+/);
}

function isSecret(token: string): boolean {
  if (KEY.test(token) && token.length >= KEY_LENGTH) return true;
  const parts = token.split('.');
  if (parts.some((part) => part.length >= TOKEN_LENGTH)) return true;
  return parts.filter((part) => part.length >= TOKEN_PART_LENGTH).length > 1;
}
