import { isObject, parseJson } from '../../infra/runtime/json.ts';
import type { ResponseTail } from '../upstream/response-tail.ts';
import { findEventEnd, findLastEventEnd, parseEvent, SseEvents } from '../upstream/sse-events.ts';

/** The beginning of the types of the events with an item. */
const ITEM_EVENT = Buffer.from('"response.output_item.');
/** In longer events only the content is longer, and an earlier event has the id. */
const MAX_EVENT_BYTES = 64 * 1024;
/** The most items of one response whose ids are returned. */
const MAX_ITEMS = 1_000;
const ITEM_ID = /^[\w-]{1,200}$/;

/** Finds the ids of the items that a stream of the Responses API adds, each once. */
export class StreamedItems {
  private readonly events = new SseEvents();
  private readonly found = new Set<string>();

  /** Returns the ids in the events that are complete now. */
  push(chunk: Buffer): string[] {
    const events = this.events.push(chunk);
    const ids: string[] = [];
    let seen = 0;
    for (let at = events.indexOf(ITEM_EVENT); at >= 0; at = events.indexOf(ITEM_EVENT, seen)) {
      const start = seen + findLastEventEnd(events.subarray(seen, at));
      seen = findEventEnd(events, at);
      if (seen - start > MAX_EVENT_BYTES) continue;
      const id = addedId(parseEvent(events.toString('utf8', start, seen)));
      if (id === null || this.found.has(id) || this.found.size >= MAX_ITEMS) continue;
      this.found.add(id);
      ids.push(id);
    }
    return ids;
  }
}

/** Returns the ids of the items of a response that is not streamed; none if it was too long to be kept. */
export function findItemIds(body: ResponseTail): string[] {
  const response = body.isComplete ? parseJson(body.bytes().toString('utf8')) : null;
  if (!isObject(response) || !Array.isArray(response.output)) return [];
  return response.output
    .slice(0, MAX_ITEMS)
    .map(idOf)
    .filter((id) => id !== null);
}

/** The type at the top is that of the server; everything deeper can repeat what the caller sent. */
function addedId(event: unknown): string | null {
  if (!isObject(event)) return null;
  const { type, item } = event;
  return type === 'response.output_item.added' || type === 'response.output_item.done' ? idOf(item) : null;
}

function idOf(item: unknown): string | null {
  const id = isObject(item) ? item.id : null;
  return typeof id === 'string' && ITEM_ID.test(id) ? id : null;
}
