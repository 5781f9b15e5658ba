import { createHash } from 'node:crypto';
import type { SubscriptionDebounce } from '@platform/contracts';
import { canonicalJson, isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isText } from '../../infra/requests/text.ts';
import { fieldAt } from './filter.ts';

const WINDOW_MS = { min: 100, max: 24 * 3_600_000 };
const MAX_KEY_LENGTH = 200;

type Keyed = Pick<SubscriptionDebounce, 'key'>;

/** Returns the problems of a debounce; null and undefined are none. */
export function checkDebounce(value: unknown, path: string): string[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return [`${path} must be an object with windowMs, and optionally key`];
  return [...unknownFieldProblems(value, ['key', 'windowMs'], path), ...checkKeyAndWindow(value, path)];
}

/** Returns the problems of what debounce and batch have in common. */
export function checkKeyAndWindow({ key = null, windowMs }: JsonObject, path: string): string[] {
  const { min, max } = WINDOW_MS;
  const isKey = key === null || (isText(key) && key !== '' && key.length <= MAX_KEY_LENGTH);
  const isWindow = Number.isInteger(windowMs) && (windowMs as number) >= min && (windowMs as number) <= max;
  return [
    ...(isKey ? [] : [`${path}.key must name a field of the payload, such as customer.id`]),
    ...(isWindow ? [] : [`${path}.windowMs must be an integer from ${min} to ${max}`]),
  ];
}

/**
 * Identifies the events that wait together: they have the same value of the key, or none, and belong to the same bulk replay, or
 * none. `place`: what else they have in common.
 */
export function hashKey(
  { key }: Keyed,
  { payload, bulkReplayId }: { payload: Record<string, unknown>; bulkReplayId: string | null },
  place = '',
): string {
  const value = key ? fieldAt(payload, key) : undefined;
  return createHash('sha256')
    .update(bulkReplayId ?? '')
    .update(place)
    .update(value === undefined ? '' : canonicalJson(value))
    .digest('hex');
}

/** What a verdict says about an event that waits with others. */
export function debounceSentence({ key, windowMs }: SubscriptionDebounce): string {
  const others = key ? `event with the same ${key}` : 'further event';
  return `Waits until no ${others} has come for ${windowMs / 1000} s: the last one starts the run`;
}
