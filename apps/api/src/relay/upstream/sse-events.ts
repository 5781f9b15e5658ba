import { parseJson } from '../../infra/runtime/json.ts';
import { GrowingBuffer } from './growing-buffer.ts';

const LF = 0x0a;
const CR = 0x0d;
const EMPTY: Buffer = Buffer.alloc(0);
/** Longer events are returned in pieces. */
const MAX_HELD_BYTES = 1024 * 1024;

/** Cuts a stream between its events, however it arrives. */
export class SseEvents {
  private readonly held = new GrowingBuffer();
  private readonly lines = new LineEnds();

  /** Returns the events that are complete now. */
  push(received: Buffer): Buffer {
    const chunk = this.lines.push(received);
    const before = this.held.length;
    if (before === 0 && findLastEventEnd(chunk) === chunk.length) return chunk;
    this.held.append(chunk);
    const bytes = this.held.view();
    // An event can end only in the new bytes, or in the two before, which may belong to the same empty line.
    const searched = Math.max(0, before - 2);
    const found = findLastEventEnd(bytes.subarray(searched));
    const whole = found === 0 ? 0 : searched + found;
    const tooLong = bytes.length - whole > MAX_HELD_BYTES;
    if (whole === 0 && !tooLong) return EMPTY;
    const end = tooLong ? bytes.length : whole;
    const all = this.held.take();
    if (end < all.length) this.held.append(all.subarray(end));
    return all.subarray(0, end);
  }

  /** Returns the remaining bytes at the end of the stream. */
  end(): Buffer {
    this.held.append(this.lines.end());
    return this.held.length === 0 ? EMPTY : this.held.take();
  }
}

/** Replaces carriage returns that end lines alone, which clients understand, too: then events end at line feeds only. */
class LineEnds {
  /** A carriage return at the end of a chunk, which a line feed may follow. */
  private rest = EMPTY;

  push(chunk: Buffer): Buffer {
    if (this.rest.length === 0 && !chunk.includes(CR)) return chunk;
    const bytes = Buffer.concat([this.rest, chunk]);
    const end = bytes.at(-1) === CR ? bytes.length - 1 : bytes.length;
    this.rest = bytes.subarray(end);
    for (let at = bytes.indexOf(CR); at >= 0 && at < end; at = bytes.indexOf(CR, at + 1))
      if (bytes[at + 1] !== LF) bytes[at] = LF;
    return bytes.subarray(0, end);
  }

  end(): Buffer {
    return this.rest;
  }
}

/** Parses the JSON of the `data:` lines of an event; null if it is not JSON. */
export function parseEvent(event: string): unknown {
  return parseJson(dataOf(event));
}

function dataOf(event: string): string {
  const isOneLine = event.startsWith('data:') && event.indexOf('\n') >= event.length - 2;
  if (isOneLine) return event.slice(5);
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice(5)).join('\n');
}

/** Returns the end of the last complete event, after its empty line, or 0. */
export function findLastEventEnd(bytes: Buffer): number {
  for (let at = bytes.length - 1; at > 0; at--) {
    at = bytes.lastIndexOf(LF, at);
    if (at < 1) return 0;
    if (bytes[at - 1] === LF || (bytes[at - 1] === CR && bytes[at - 2] === LF)) return at + 1;
  }
  return 0;
}

/** Returns the end of the event at a position. */
export function findEventEnd(bytes: Buffer, at: number): number {
  for (let lf = bytes.indexOf(LF, at); lf >= 0; lf = bytes.indexOf(LF, lf + 1)) {
    if (bytes[lf + 1] === LF) return lf + 2;
    if (bytes[lf + 1] === CR && bytes[lf + 2] === LF) return lf + 3;
  }
  return bytes.length;
}
