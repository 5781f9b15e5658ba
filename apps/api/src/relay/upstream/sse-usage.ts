import type { ModelUsage } from '../../models/port/model-provider.ts';
import { readUsage } from '../../models/pricing/usage-figures.ts';
import { findEventEnd, findLastEventEnd, parseEvent, SseEvents } from './sse-events.ts';

/** Without its first quote: quotes are so frequent in JSON that searching for one takes ten times as long. */
const USAGE = Buffer.from('usage"');
const QUOTE = 0x22;

/**
 * Finds the usage in a stream of chunks, and removes the chunk that contains only the usage unless the caller requested
 * it. All other bytes are preserved. Only events with `"usage":{` are parsed: quotes inside a JSON string are escaped, so
 * text of the model cannot match.
 */
export class SseUsage {
  /** The latest usage. */
  usage: ModelUsage | null = null;
  private readonly events = new SseEvents();

  constructor(private readonly hide: boolean) {}

  /** Returns what can be forwarded now: complete events. */
  push(chunk: Buffer): Buffer {
    return this.scan(this.events.push(chunk));
  }

  /** Returns the remaining bytes at the end of the stream. */
  end(): Buffer {
    return this.scan(this.events.end());
  }

  private scan(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = 0;
    /** The end of the last inspected event, so that no byte is searched twice. */
    let seen = 0;
    for (let at = findUsageKey(bytes, 0); at >= 0; at = findUsageKey(bytes, at)) {
      if (!opensObject(bytes, at)) continue;
      const start = seen + findLastEventEnd(bytes.subarray(seen, at));
      const end = findEventEnd(bytes, at);
      if (this.read(bytes.toString('utf8', start, end)) && this.hide) {
        kept.push(bytes.subarray(from, start));
        from = end;
      }
      seen = at = end;
    }
    return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
  }

  /** Reads the usage of an event. Returns whether the event contains nothing else. */
  private read(event: string): boolean {
    const chunk = parseEvent(event) as EventWithUsage | null;
    // In the Responses API, the last event contains the whole response.
    const usage = chunk?.usage ?? chunk?.response?.usage;
    if (typeof usage !== 'object' || usage === null) return false;
    this.usage = readUsage(usage as Record<string, unknown>);
    return Array.isArray(chunk?.choices) && chunk.choices.length === 0;
  }
}

interface EventWithUsage {
  usage?: unknown;
  choices?: unknown;
  response?: { usage?: unknown } | null;
}

/** Returns the position after the next `"usage"`, or -1. */
export function findUsageKey(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(USAGE, from); at >= 0; at = bytes.indexOf(USAGE, at + 1))
    if (bytes[at - 1] === QUOTE) return at + USAGE.length;
  return -1;
}

/** Whether an object follows the colon. Many servers send `"usage":null` with every chunk. */
function opensObject(bytes: Buffer, at: number): boolean {
  while (bytes[at] === 0x3a || bytes[at] === 0x20) at++;
  return bytes[at] === 0x7b;
}
