import type { SubscriptionBatch } from '@platform/contracts';
import { unknownFieldProblems } from '../../infra/requests/free-form.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { checkKeyAndWindow } from './debounce.ts';

const MAX_ITEMS = 1_000;
/** Of all items as JSON: one value of a step can have them all. */
export const MAX_BATCH_BYTES = 1_000_000;

/** Returns the problems of a batch; null and undefined are none. */
export function checkBatch(value: unknown, path: string): string[] {
  if (value === undefined || value === null) return [];
  if (!isObject(value)) return [`${path} must be an object with maxItems and windowMs, and optionally key`];
  const { maxItems } = value;
  const isCount =
    Number.isInteger(maxItems) && (maxItems as number) >= 1 && (maxItems as number) <= MAX_ITEMS;
  return [
    ...unknownFieldProblems(value, ['key', 'maxItems', 'windowMs'], path),
    ...(isCount ? [] : [`${path}.maxItems must be an integer from 1 to ${MAX_ITEMS}`]),
    ...checkKeyAndWindow(value, path),
  ];
}

/** What a verdict says about an event that is collected with others. */
export function batchSentence({ key, maxItems, windowMs }: SubscriptionBatch): string {
  const others = key ? `events with the same ${key}` : 'events';
  return `Collected with other ${others}: a run starts with ${maxItems} of them, or ${windowMs / 1000} s after the first`;
}
