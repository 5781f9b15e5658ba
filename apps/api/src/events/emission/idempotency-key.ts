import { hash } from 'node:crypto';
import { invalid } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';

export const MAX_KEY = 255;

export function isIdempotencyKey(value: unknown): value is string {
  return isText(value) && value !== '' && value.length <= MAX_KEY;
}

/** Returns the key that a template has resolved to; null for none. Throws VALIDATION_ERROR for anything but a text or number. */
export function toIdempotencyKey(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const key = typeof value === 'number' ? String(value) : value;
  if (!isIdempotencyKey(key)) throw invalid(`idempotencyKey must be a text of 1 to ${MAX_KEY} characters`);
  return key;
}

/**
 * How a key is stored. Those that applications and steps choose are one kind, those that the platform makes another, and those
 * of test emissions a third, so that no test takes the key of an application.
 */
export function hashKey(kind: 'application' | 'step' | 'test', key: string): Buffer {
  return hash('sha256', `${kind}\0${key}`, 'buffer');
}
