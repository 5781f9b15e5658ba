import { STREAM_PROTOCOL, STREAM_PROTOCOL_HEADER } from '@platform/contracts';
import type { Frame, ProductEvent, ProductEventFields } from '@platform/contracts';
import {
  AgentStreamError,
  AgentStreamFailedError,
  PlatformConnectionError,
  PlatformError,
} from './errors.ts';
import type { ApiRequest } from './http.ts';
import { toProductEvent } from './product-event.ts';
import { AgentStreamDecoder } from './stream-decoder.ts';
import { backoffDelay, sleep, systemTimer } from './timer.ts';
import type { Backoff, Timer } from './timer.ts';

/** Sends a request and gives the successful answer with its body unread; throws as `HttpClient.open` does. */
export type StreamTransport = (request: ApiRequest) => Promise<Response>;

/** Where a stream comes from: a POST that starts it, or only its record. */
export interface StreamSource {
  turnId: string;
  /** Takes `segment` and `after` and answers the recorded frames, then those to come. */
  attachPath: string;
  /** Repeating it must be recognised by the service: it is sent again when no answer came. */
  start?: { path: string; body: unknown };
  segment?: number;
  /** `seq` that the reader has already. */
  after?: number;
}

export interface ReconnectOptions extends Backoff {
  /** New connections in a row that may fail before the stream gives up; a frame starts the count anew. */
  attempts: number;
}

export interface StreamOptions {
  /** Closes the connection; the turn goes on. */
  signal?: AbortSignal;
  reconnect?: Partial<ReconnectOptions>;
  /** Milliseconds of silence after which the connection counts as lost; heartbeats come every 10 s. */
  idleTimeoutMs?: number;
  timer?: Timer;
  /** From 0 up to 1, for the jitter between attempts. */
  random?: () => number;
}

/** One segment of a turn, read once: its product events, its raw frames, or its outcome. */
export interface AgentStream extends AsyncIterable<ProductEvent> {
  readonly turnId: string;
  /** Known from the first answer on. */
  readonly sessionId: string | null;
  readonly segment: number | null;
  /** `X-Request-Id` of the latest answer. */
  readonly requestId: string | null;
  /** `seq` of the last frame handed out. */
  readonly lastSeq: number;
  frames(): AsyncGenerator<Frame, void, undefined>;
  /** The generated text; reads to the end if nobody has. Throws AgentStreamFailedError when the turn failed. */
  text(): Promise<string>;
  /** The fields of `response.completed`; reads to the end if nobody has. Throws as `text` does. */
  finalResponse(): Promise<ProductEventFields['response.completed']>;
}

const RECONNECT: ReconnectOptions = { attempts: 8, baseDelayMs: 250, maxDelayMs: 10_000 };
const IDLE_TIMEOUT_MS = 45_000;
const PASSING_STATUSES = [429, 502, 503, 504];

/** Reads an agent's stream and survives lost connections: no frame is missed and none comes twice. */
export class AgentStreamClient implements AgentStream {
  turnId: string;
  sessionId: string | null = null;
  segment: number | null;
  requestId: string | null = null;
  lastSeq: number;

  private readonly transport: StreamTransport;
  private readonly source: StreamSource;
  private readonly options: StreamOptions;
  private readonly reconnect: ReconnectOptions;
  private readonly timer: Timer;
  private reading: 'not-yet' | 'now' | 'done' = 'not-yet';
  /** Whether the service has the turn, so that from now on its record is read. */
  private accepted = false;
  private startWasSent = false;
  private conflict: PlatformError | null = null;
  private answer = '';
  private completed: ProductEventFields['response.completed'] | null = null;
  private failure: ProductEventFields['error.occurred'] | null = null;

  constructor(transport: StreamTransport, source: StreamSource, options: StreamOptions = {}) {
    this.transport = transport;
    this.source = source;
    this.options = options;
    this.reconnect = { ...RECONNECT, ...options.reconnect };
    this.timer = options.timer ?? systemTimer;
    this.turnId = source.turnId;
    this.segment = source.segment ?? null;
    this.lastSeq = source.after ?? 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ProductEvent, void, undefined> {
    for await (const { event } of this.read()) if (event !== null) yield event;
  }

  async *frames(): AsyncGenerator<Frame, void, undefined> {
    for await (const { frame } of this.read()) yield frame;
  }

  async text(): Promise<string> {
    await this.drain();
    return this.answer;
  }

  async finalResponse(): Promise<ProductEventFields['response.completed']> {
    await this.drain();
    if (this.completed !== null) return this.completed;
    throw this.explained(
      new AgentStreamError('truncated', 'The stream ended without response-completed', this.lastSeq),
    );
  }

  private async drain(): Promise<void> {
    if (this.reading !== 'done') for await (const _ of this.read());
    if (this.failure !== null) throw new AgentStreamFailedError({ ...this.failure, lastSeq: this.lastSeq });
  }

  private async *read(): AsyncGenerator<Reading, void, undefined> {
    if (this.reading !== 'not-yet') throw new TypeError('A stream can be read once only');
    this.reading = 'now';
    for (let failures = 0; ;) {
      const seqBefore = this.lastSeq;
      try {
        yield* this.readConnection(await this.connect());
        this.reading = 'done';
        return;
      } catch (error) {
        this.options.signal?.throwIfAborted();
        failures = this.lastSeq > seqBefore ? 1 : failures + 1;
        if (!this.isLost(error) || failures > this.reconnect.attempts) throw this.explained(error);
        await this.pause(failures, error);
      }
    }
  }

  private async *readConnection(response: Response): AsyncGenerator<Reading, void, undefined> {
    const reader = this.open(response).getReader();
    const decoder = new AgentStreamDecoder({ after: this.lastSeq });
    try {
      while (!decoder.ended) {
        const { frames, violation } = decode(decoder, await this.nextChunk(reader));
        for (const frame of frames) yield this.note(frame, decoder);
        if (violation !== null) throw violation;
      }
    } finally {
      // Also where the consumer leaves its loop: closes the connection, the turn goes on.
      reader.cancel().catch(() => undefined);
    }
  }

  /** The next bytes; null at the end of the connection, and after too long a silence. */
  private async nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
    // Cancelling makes the pending read report the end.
    const stopWatch = this.timer.after(this.options.idleTimeoutMs ?? IDLE_TIMEOUT_MS, () => {
      reader.cancel().catch(() => undefined);
    });
    try {
      const { value, done } = await reader.read();
      return done ? null : value;
    } catch (cause) {
      throw new PlatformConnectionError(`The stream broke after frame ${this.lastSeq}`, { cause });
    } finally {
      stopWatch();
    }
  }

  private async connect(): Promise<Response> {
    const { start, attachPath } = this.source;
    const again = this.startWasSent;
    if (start !== undefined && !this.accepted) {
      this.startWasSent = true;
      try {
        return await this.request({ method: 'POST', path: start.path, body: start.body });
      } catch (error) {
        if (!again || !isStatus(error, 409)) throw error;
        // The first try has arrived after all: the turn runs, or its session is busy with another.
        this.conflict = error;
        this.accepted = true;
      }
    }
    const query = { segment: this.segment, after: this.lastSeq === 0 ? null : this.lastSeq };
    try {
      return await this.request({ method: 'GET', path: attachPath, query });
    } catch (error) {
      throw isStatus(error, 404) && this.conflict !== null ? this.conflict : error;
    }
  }

  private async request(request: ApiRequest): Promise<Response> {
    const response = await this.transport({
      ...request,
      ...(this.options.signal === undefined ? {} : { signal: this.options.signal }),
      headers: { Accept: 'text/event-stream', [STREAM_PROTOCOL_HEADER]: STREAM_PROTOCOL },
    });
    this.accepted = true;
    return response;
  }

  private open(response: Response): ReadableStream<Uint8Array> {
    this.requestId = response.headers.get('X-Request-Id') ?? this.requestId;
    this.sessionId = response.headers.get('X-Session-Id') ?? this.sessionId;
    const protocol = response.headers.get(STREAM_PROTOCOL_HEADER);
    if (protocol === STREAM_PROTOCOL && response.body !== null) return response.body;
    void response.body?.cancel();
    const got = protocol === null ? 'no such header' : `"${protocol}"`;
    const message = `The answer's ${STREAM_PROTOCOL_HEADER} must be "${STREAM_PROTOCOL}", there is ${got}`;
    throw new AgentStreamError('protocol_mismatch', message, this.lastSeq);
  }

  private note(frame: Frame, decoder: AgentStreamDecoder): Reading {
    this.lastSeq = frame.seq;
    this.segment ??= decoder.segment;
    const event = toProductEvent(frame);
    if (event?.event === 'session.started') {
      this.sessionId = event.sessionId;
      this.segment = event.segment;
    } else if (event?.event === 'content.delta') {
      this.answer += event.delta;
    } else if (event?.event === 'response.completed') {
      const { event: _, ...fields } = event;
      this.completed = fields;
    } else if (event?.event === 'error.occurred') {
      this.failure = event;
    }
    return { frame, event };
  }

  private isLost(error: unknown): boolean {
    if (error instanceof PlatformConnectionError) return true;
    if (error instanceof AgentStreamError) return error.code === 'truncated';
    const attaching = this.accepted || this.source.start === undefined;
    return attaching && error instanceof PlatformError && PASSING_STATUSES.includes(error.status);
  }

  private pause(failures: number, error: unknown): Promise<void> {
    const asked = error instanceof PlatformError ? (error.retryAfter ?? 0) * 1000 : 0;
    const delay = backoffDelay(failures, this.reconnect, (this.options.random ?? Math.random)());
    return sleep(this.timer, Math.max(asked, delay), this.options.signal);
  }

  // A broken stream is reported as one error type, with what is needed to ask about it.
  private explained(error: unknown): unknown {
    const broken =
      error instanceof PlatformConnectionError && this.accepted
        ? new AgentStreamError('truncated', error.message, this.lastSeq, { cause: error })
        : error;
    if (broken instanceof AgentStreamError) {
      broken.turnId = this.turnId;
      broken.requestId = this.requestId;
    }
    return broken;
  }
}

interface Reading {
  frame: Frame;
  event: ProductEvent | null;
}

// The frames in front of a violation are good and are handed out before it is thrown.
function decode(
  decoder: AgentStreamDecoder,
  chunk: Uint8Array | null,
): { frames: readonly Frame[]; violation: AgentStreamError | null } {
  try {
    if (chunk !== null) return { frames: decoder.push(chunk), violation: null };
    decoder.end();
    return { frames: [], violation: null };
  } catch (error) {
    if (!(error instanceof AgentStreamError)) throw error;
    return { frames: error.validFrames, violation: error };
  }
}

function isStatus(error: unknown, status: number): error is PlatformError {
  return error instanceof PlatformError && error.status === status;
}
