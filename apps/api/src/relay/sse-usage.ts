import type { ModelUsage } from '../models/model-provider.ts';
import { readUsage } from '../models/usage-figures.ts';

const USAGE = Buffer.from('"usage"');
const LF = Buffer.from('\n\n');
const CRLF = Buffer.from('\r\n\r\n');
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
  private rest: Buffer = EMPTY;

  constructor(private readonly hide: boolean) {}

  /** What may be handed on now: whole events. */
  push(chunk: Buffer): Buffer {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const whole = endOfEvents(bytes);
    const end = bytes.length - whole > MAX_HELD_BYTES ? bytes.length : whole;
    this.rest = bytes.subarray(end);
    return this.scan(bytes.subarray(0, end));
  }

  /** What is left when nothing more comes. */
  end(): Buffer {
    const { rest } = this;
    this.rest = EMPTY;
    return this.scan(rest);
  }

  private scan(bytes: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = 0;
    for (let at = bytes.indexOf(USAGE); at >= 0; at = bytes.indexOf(USAGE, at + 1)) {
      if (!opensObject(bytes, at + USAGE.length)) continue;
      const start = endOfEvents(bytes.subarray(0, at));
      const end = endOfEvent(bytes, at);
      if (this.read(bytes.toString('utf8', start, end)) && this.hide) {
        kept.push(bytes.subarray(from, start));
        from = end;
      }
      at = end - 1;
    }
    return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
  }

  /** Whether the event holds figures and nothing else. */
  private read(event: string): boolean {
    const chunk = dataOf(event) as { usage?: unknown; choices?: unknown } | null;
    if (typeof chunk?.usage !== 'object' || chunk.usage === null) return false;
    this.usage = readUsage(chunk.usage as Record<string, unknown>);
    return Array.isArray(chunk.choices) && chunk.choices.length === 0;
  }
}

/** The JSON that the `data:` lines of an event hold; null where they hold none. */
export function dataOf(event: string): unknown {
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

/** Where the last whole event ends; 0 where none does. */
function endOfEvents(bytes: Buffer): number {
  const { length } = bytes;
  if (bytes[length - 1] === 0x0a && bytes[length - 2] === 0x0a) return length;
  const lf = bytes.lastIndexOf(LF);
  if (lf >= 0) return lf + LF.length;
  const crlf = bytes.lastIndexOf(CRLF);
  return crlf < 0 ? 0 : crlf + CRLF.length;
}

/** Where the event around `at` ends. */
function endOfEvent(bytes: Buffer, at: number): number {
  const lf = bytes.indexOf(LF, at);
  if (lf >= 0) return lf + LF.length;
  const crlf = bytes.indexOf(CRLF, at);
  return crlf < 0 ? bytes.length : crlf + CRLF.length;
}
