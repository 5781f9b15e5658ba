import type { ModelUsage } from '../models/model-provider.ts';
import { readUsage } from '../models/usage-figures.ts';
import { GrowingBuffer } from './growing-buffer.ts';

const USAGE = Buffer.from('"usage"');
const LF = 0x0a;
const CR = 0x0d;
const EMPTY: Buffer = Buffer.alloc(0);
/** An event that is longer is handed on in pieces. */
const MAX_HELD_BYTES = 1024 * 1024;

/**
 * Finds the figures in a stream of chunks, and takes the chunk out that exists for them alone where the caller has
 * not asked for it; every other byte stays. Only events with `"usage":{` are parsed: inside a JSON string the
 * quotes are escaped, so no text of the model looks like it.
 */
export class SseUsage {
  /** The last figures so far. */
  usage: ModelUsage | null = null;
  private readonly held = new GrowingBuffer();

  constructor(private readonly hide: boolean) {}

  /** What may be handed on now: whole events. */
  push(chunk: Buffer): Buffer {
    const before = this.held.length;
    if (before === 0 && findLastEventEnd(chunk) === chunk.length) return this.scan(chunk);
    this.held.append(chunk);
    const bytes = this.held.view();
    // Only the new bytes, and the two before that may belong to the same empty line, can end an event.
    const searched = Math.max(0, before - 2);
    const found = findLastEventEnd(bytes.subarray(searched));
    const whole = found === 0 ? 0 : searched + found;
    const tooLong = bytes.length - whole > MAX_HELD_BYTES;
    if (whole === 0 && !tooLong) return EMPTY;
    const end = tooLong ? bytes.length : whole;
    const all = this.held.take();
    if (end < all.length) this.held.append(all.subarray(end));
    return this.scan(all.subarray(0, end));
  }

  /** What is left when nothing more comes. */
  end(): Buffer {
    return this.scan(this.held.take());
  }

  private scan(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = 0;
    /** Where the last event that was looked at ends: no byte is searched twice. */
    let seen = 0;
    for (let at = bytes.indexOf(USAGE); at >= 0; at = bytes.indexOf(USAGE, at + 1)) {
      if (!opensObject(bytes, at + USAGE.length)) continue;
      const start = seen + findLastEventEnd(bytes.subarray(seen, at));
      const end = findEventEnd(bytes, at);
      if (this.read(bytes.toString('utf8', start, end)) && this.hide) {
        kept.push(bytes.subarray(from, start));
        from = end;
      }
      seen = end;
      at = end - 1;
    }
    return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
  }

  /** Whether the event holds figures and nothing else. */
  private read(event: string): boolean {
    const chunk = parseEvent(event) as { usage?: unknown; choices?: unknown } | null;
    if (typeof chunk?.usage !== 'object' || chunk.usage === null) return false;
    this.usage = readUsage(chunk.usage as Record<string, unknown>);
    return Array.isArray(chunk.choices) && chunk.choices.length === 0;
  }
}

/** The JSON that the `data:` lines of an event hold; null where they hold none. */
export function parseEvent(event: string): unknown {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  try {
    return JSON.parse(lines.map((line) => line.slice(5)).join('\n'));
  } catch {
    return null;
  }
}

/** Past colon and spaces, does an object begin? Many servers send `"usage":null` with each chunk. */
function opensObject(bytes: Buffer, at: number): boolean {
  while (bytes[at] === 0x3a || bytes[at] === 0x20) at++;
  return bytes[at] === 0x7b;
}

/** Where the last whole event ends, by the empty line behind it; 0 where none does. */
function findLastEventEnd(bytes: Buffer): number {
  for (let at = bytes.length - 1; at > 0; at--) {
    at = bytes.lastIndexOf(LF, at);
    if (at < 1) return 0;
    if (bytes[at - 1] === LF || (bytes[at - 1] === CR && bytes[at - 2] === LF)) return at + 1;
  }
  return 0;
}

/** Where the event around `at` ends. */
export function findEventEnd(bytes: Buffer, at: number): number {
  for (let lf = bytes.indexOf(LF, at); lf >= 0; lf = bytes.indexOf(LF, lf + 1)) {
    if (bytes[lf + 1] === LF) return lf + 2;
    if (bytes[lf + 1] === CR && bytes[lf + 2] === LF) return lf + 3;
  }
  return bytes.length;
}
