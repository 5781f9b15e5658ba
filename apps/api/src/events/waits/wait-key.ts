import { createHash } from 'node:crypto';
import type { EventFilter } from '@platform/contracts';
import { isText } from '../../infra/requests/text.ts';
import { canonicalJson, isObject } from '../../infra/runtime/json.ts';
import { hasTemplate } from '../../tasks/templates/template.ts';
import { fieldAt } from '../subscriptions/filter.ts';

/** By what a wait is found among others for the same event: one field that must have one value. Both empty: by nothing. */
export interface EventWaitKey {
  field: string;
  value: string;
}

export const NO_KEY: EventWaitKey = { field: '', value: '' };
/** An entry of the index has at most 2,704 bytes. */
const MAX_FIELD_LENGTH = 200;

/**
 * The key of a wait with the filter: its first condition of a single value that comes from a template, because the others are
 * the same for all runs of the task; without one, its first of a single value. A name that the index cannot have finds nothing.
 */
export function keyOfFilter(filter: EventFilter | null, defined?: EventFilter | null): EventWaitKey {
  const conditions = Object.entries(filter ?? {}).filter(
    ([name, wanted]) => !Array.isArray(wanted) && !isObject(wanted) && canBeKey(name),
  );
  const ofRun = conditions.find(([field]) => {
    const value = isObject(defined) ? defined[field] : undefined;
    return typeof value === 'string' && hasTemplate(value);
  });
  const [field, value] = ofRun ?? conditions[0] ?? [];
  return field === undefined ? NO_KEY : { field, value: hash(value) };
}

const canBeKey = (name: string) => name !== '' && name.length <= MAX_FIELD_LENGTH && isText(name);

/** The keys by which waits that have the fields may be found for an event. */
export function keysOfPayload(fields: readonly string[], payload: Record<string, unknown>): EventWaitKey[] {
  return fields.map((field) => (field === '' ? NO_KEY : { field, value: hash(fieldAt(payload, field)) }));
}

function hash(value: unknown): string {
  const text = value === undefined ? '' : canonicalJson(value);
  return createHash('sha256').update(text).digest('base64url');
}
