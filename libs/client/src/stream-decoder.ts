import { FRAME_METHODS, WIRE_EVENT } from '@platform/contracts';
import type { Frame } from '@platform/contracts';
import { AgentStreamError } from './errors.ts';
import type { AgentStreamErrorCode } from './errors.ts';
import { SseParser } from './sse-parser.ts';
import type { SseEvent } from './sse-parser.ts';

/** Far more than the maximum size of a frame. Keeps an endless line from filling the memory. */
const MAX_PENDING_CHARACTERS = 1024 * 1024;

/**
 * Decodes the bytes of one segment into frames, in order and without gaps.
 * The result does not depend on how the bytes are split into chunks.
 */
export class AgentStreamDecoder {
  private readonly sse = new SseParser();
  private violation: AgentStreamError | null = null;
  private seq: number;
  private hasEnded = false;
  private eventId = '';

  /** With `after`, the first frame must have the next `seq`. By default it must have `seq` 1. */
  constructor(options: { after?: number } = {}) {
    this.seq = options.after ?? 0;
  }

  /** `seq` of the last frame. Before the first frame, `after` or 0. */
  get lastSeq(): number {
    return this.seq;
  }

  /** Whether `stream-ended` has been received. */
  get ended(): boolean {
    return this.hasEnded;
  }

  /** The last SSE id, `<segment>.<seq>`; empty if there was none. */
  get lastEventId(): string {
    return this.eventId;
  }

  /** The segment in the last SSE id; null if there was none. */
  get segment(): number | null {
    const match = /^(\d+)\.\d+$/.exec(this.eventId);
    return match === null ? null : Number(match[1]);
  }

  /**
   * Returns the frames that the next bytes complete. The bytes can be split anywhere.
   * Throws AgentStreamError on the first violation; all further calls throw the same error.
   */
  push(chunk: Uint8Array | string): Frame[] {
    if (this.violation !== null) throw this.violation;
    const frames: Frame[] = [];
    for (const event of this.sse.push(chunk)) frames.push(this.accept(event, frames));
    if (this.sse.pending > MAX_PENDING_CHARACTERS) {
      throw this.recordViolation('malformed_frame', 'A frame is too long', frames);
    }
    return frames;
  }

  /** Ends the input. Throws AgentStreamError `truncated` if `stream-ended` has not been received. */
  end(): void {
    if (this.violation !== null) throw this.violation;
    if (!this.hasEnded) {
      throw this.recordViolation(
        'truncated',
        `The stream ended after frame ${this.seq}, before stream-ended`,
        [],
      );
    }
  }

  private accept({ data, lastEventId }: SseEvent, before: readonly Frame[]): Frame {
    if (this.hasEnded)
      throw this.recordViolation('frame_after_end', 'Received a frame after stream-ended', before);
    const value = parseJson(data);
    if (!hasFrameShape(value)) {
      throw this.recordViolation(
        'malformed_frame',
        `The data after frame ${this.seq} is not a valid frame`,
        before,
      );
    }
    if (!isSupported(value)) {
      throw this.recordViolation('unsupported_method', `Unsupported frame method "${value.method}"`, before);
    }
    if (value.seq !== this.seq + 1) {
      throw this.recordViolation(
        'sequence_gap',
        `Expected frame ${this.seq + 1}, got frame ${value.seq}`,
        before,
      );
    }
    this.seq = value.seq;
    this.eventId = lastEventId;
    this.hasEnded = getWireEvent(value) === WIRE_EVENT['stream.ended'];
    return value;
  }

  private recordViolation(
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

function getWireEvent(frame: Frame): string | null {
  return frame.method === 'custom:platform' ? (frame.params.data as { event: string }).event : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
