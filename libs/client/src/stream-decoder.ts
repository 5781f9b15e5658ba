import { FRAME_METHODS, WIRE_EVENT } from '@platform/contracts';
import type { Frame } from '@platform/contracts';
import { AgentStreamError } from './errors.ts';
import type { AgentStreamErrorCode } from './errors.ts';
import { SseParser } from './sse-parser.ts';
import type { SseEvent } from './sse-parser.ts';

/** Far above what a frame may measure; only keeps an endless line from filling the memory. */
const MAX_PENDING_CHARACTERS = 1024 * 1024;

/**
 * Turns the bytes of one segment's stream into frames, in order and without gaps.
 * It reads no clock and no network, so the same bytes give the same frames however they are cut.
 */
export class AgentStreamDecoder {
  private readonly sse = new SseParser();
  private violation: AgentStreamError | null = null;
  private seq: number;
  private hasEnded = false;
  private eventId = '';

  /** `after`: the seq that the stream continues from; none: it begins at 1. */
  constructor(options: { after?: number } = {}) {
    this.seq = options.after ?? 0;
  }

  /** `seq` of the last frame; 0 (or `after`) before the first. */
  get lastSeq(): number {
    return this.seq;
  }

  /** Whether `stream-ended` has come. */
  get ended(): boolean {
    return this.hasEnded;
  }

  /** The last SSE id, `<segment>.<seq>`; empty when there was none. */
  get lastEventId(): string {
    return this.eventId;
  }

  /** The segment that the last SSE id names. */
  get segment(): number | null {
    const match = /^(\d+)\.\d+$/.exec(this.eventId);
    return match === null ? null : Number(match[1]);
  }

  /**
   * Takes the next bytes, cut anywhere, and returns the frames that they complete.
   * Throws AgentStreamError at the first violation, and the same one ever after.
   */
  push(chunk: Uint8Array | string): Frame[] {
    if (this.violation !== null) throw this.violation;
    const frames: Frame[] = [];
    for (const event of this.sse.push(chunk)) frames.push(this.accept(event, frames));
    if (this.sse.pending > MAX_PENDING_CHARACTERS) {
      throw this.violated('malformed_frame', 'A frame does not come to its end', frames);
    }
    return frames;
  }

  /** The bytes are over: throws AgentStreamError `truncated` when `stream-ended` has not come. */
  end(): void {
    if (this.violation !== null) throw this.violation;
    if (!this.hasEnded) {
      throw this.violated('truncated', `The stream stopped after frame ${this.seq}, before stream-ended`, []);
    }
  }

  private accept({ data, lastEventId }: SseEvent, before: readonly Frame[]): Frame {
    if (this.hasEnded) throw this.violated('frame_after_end', 'A frame came after stream-ended', before);
    const value = parseJson(data);
    if (!hasFrameShape(value)) {
      throw this.violated('malformed_frame', `What came after frame ${this.seq} is no frame`, before);
    }
    if (!isSupported(value)) {
      throw this.violated('unsupported_method', `Unsupported frame method "${value.method}"`, before);
    }
    if (value.seq !== this.seq + 1) {
      throw this.violated('sequence_gap', `Frame ${this.seq + 1} was expected, got ${value.seq}`, before);
    }
    this.seq = value.seq;
    this.eventId = lastEventId;
    this.hasEnded = wireEventOf(value) === WIRE_EVENT['stream.ended'];
    return value;
  }

  private violated(
    code: AgentStreamErrorCode,
    message: string,
    validFrames: readonly Frame[],
  ): AgentStreamError {
    this.violation = new AgentStreamError(code, message, this.seq, { validFrames });
    return this.violation;
  }
}

type UncheckedFrame = Omit<Frame, 'method'> & { method: string };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function hasFrameShape(value: unknown): value is UncheckedFrame {
  if (!isObject(value) || value.type !== 'event' || typeof value.method !== 'string') return false;
  if (!Number.isSafeInteger(value.seq) || !isObject(value.params)) return false;
  if (value.method !== 'custom:platform') return true;
  return isObject(value.params.data) && typeof value.params.data.event === 'string';
}

function isSupported(frame: UncheckedFrame): frame is Frame {
  return (FRAME_METHODS as readonly string[]).includes(frame.method);
}

function wireEventOf(frame: Frame): string | null {
  return frame.method === 'custom:platform' ? (frame.params.data as { event: string }).event : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
