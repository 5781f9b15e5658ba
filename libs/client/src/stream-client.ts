import { STREAM_PROTOCOL, STREAM_PROTOCOL_HEADER } from '@platform/contracts';
import type { Frame, Interaction, ProductEvent, ProductEventFields } from '@platform/contracts';
import {
  AgentStreamError,
  AgentStreamFailedError,
  PlatformConnectionError,
  PlatformError,
} from './errors.ts';
import type { ApiRequest } from './http.ts';
import { toProductEvent } from './product-event.ts';
import { isPassing, Retry } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import { AgentStreamDecoder } from './stream-decoder.ts';
import { decodeHeader } from './url.ts';

/** Sends a request and gives the successful answer with its body unread; throws as `HttpClient.open` does. */
export type StreamTransport = (request: ApiRequest) => Promise<Response>;

/** The POST that starts a stream. */
export interface StreamStart {
  path: string;
  body: unknown;
  /**
   * When no answer came: send it again, and take a 409 as a sign that the first one arrived (`repeat-or-attach`, the
   * default) or as a refusal (`repeat`); or `give-up`, where the service would not recognise the repetition.
   */
  whenUnanswered?: 'repeat-or-attach' | 'repeat' | 'give-up';
}

/** Where a stream comes from: a POST that starts it, or only its record. */
export interface StreamSource<TurnId extends string | null = string> {
  /** null: told by the first answer. */
  turnId: TurnId;
  /** Takes `segment` and `after` and answers the recorded frames, then those to come. */
  attachPath: string | ((turnId: string) => string);
  start?: StreamStart;
  segment?: number;
  /** `seq` that the reader has already. */
  after?: number;
  /** Sees each event before the reader does. */
  watch?: (event: ProductEvent) => void;
}

export interface StreamOptions extends RetryOptions {
  /** Closes the connection; the turn goes on. */
  signal?: AbortSignal;
  /** Milliseconds of silence after which the connection counts as lost; heartbeats come every 10 s. */
  idleTimeoutMs?: number;
}

/** One segment of a turn, read once: its product events, its raw frames, or its outcome. */
export interface AgentStream<TurnId extends string | null = string> extends AsyncIterable<ProductEvent> {
  readonly turnId: TurnId;
  /** Known from the first answer on. */
  readonly sessionId: string | null;
  readonly segment: number | null;
  /** `X-Request-Id` of the latest answer. */
  readonly requestId: string | null;
  /** `seq` of the last frame handed out. */
  readonly lastSeq: number;
  /** The question that the segment ended with; `resume` answers it. */
  readonly interaction: Interaction | null;
  frames(): AsyncGenerator<Frame, void, undefined>;
  /** The generated text; reads to the end if nobody has. Throws AgentStreamFailedError when the turn failed. */
  text(): Promise<string>;
  /** The fields of `response.completed`; reads to the end if nobody has. Throws as `text` does. */
  finalResponse(): Promise<ProductEventFields['response.completed']>;
}

const IDLE_TIMEOUT_MS = 45_000;

/** Reads an agent's stream and survives lost connections: no frame is missed and none comes twice. */
export class AgentStreamClient<TurnId extends string | null = string> implements AgentStream<TurnId> {
  turnId: TurnId;
  sessionId: string | null = null;
  segment: number | null;
  requestId: string | null = null;
  lastSeq: number;
  interaction: Interaction | null = null;

  private readonly transport: StreamTransport;
  private readonly source: StreamSource<TurnId>;
  private readonly options: StreamOptions;
  private readonly retry: Retry;
  private reading: 'not-yet' | 'now' | 'done' = 'not-yet';
  /** Whether the service has the turn, so that from now on its record is read. */
  private accepted = false;
  private startWasSent = false;
  private conflict: PlatformError | null = null;
  private answer = '';
  private completed: ProductEventFields['response.completed'] | null = null;
  private failure: ProductEventFields['error.occurred'] | null = null;

  constructor(transport: StreamTransport, source: StreamSource<TurnId>, options: StreamOptions = {}) {
    this.transport = transport;
    this.source = source;
    this.options = options;
    this.retry = new Retry(options);
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
        if (!this.isLost(error) || failures > this.retry.attempts) throw this.explained(error);
        await this.retry.pause(failures, error, this.options.signal);
      }
    }
  }

  private async *readConnection(response: Response): AsyncGenerator<Reading, void, undefined> {
    const reader = this.open(response).getReader();
    const decoder = new AgentStreamDecoder({ after: this.lastSeq });
    const { signal } = this.options;
    const leave = () => void reader.cancel().catch(() => undefined);
    signal?.addEventListener('abort', leave);
    try {
      signal?.throwIfAborted();
      while (!decoder.ended) {
        const { frames, violation } = decode(decoder, await this.nextChunk(reader));
        for (const frame of frames) yield this.note(frame, decoder);
        if (violation !== null) throw violation;
      }
    } finally {
      signal?.removeEventListener('abort', leave);
      // Also where the consumer leaves its loop: closes the connection, the turn goes on.
      leave();
    }
  }

  /** The next bytes; null at the end of the connection, and after too long a silence. */
  private async nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
    // Cancelling makes the pending read report the end.
    const stopWatch = this.retry.timer.after(this.options.idleTimeoutMs ?? IDLE_TIMEOUT_MS, () => {
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
    const { start } = this.source;
    const again = this.startWasSent;
    if (start !== undefined && !this.accepted) {
      this.startWasSent = true;
      try {
        return await this.request({ method: 'POST', path: start.path, body: start.body });
      } catch (error) {
        const { whenUnanswered = 'repeat-or-attach' } = start;
        if (!again || whenUnanswered !== 'repeat-or-attach' || !isStatus(error, 409)) throw error;
        // The first try has arrived after all: the turn runs, or its session is busy with another.
        this.conflict = error;
        this.accepted = true;
      }
    }
    const path = this.attachPath();
    if (path === null) throw new TypeError('The turn of this stream is not known');
    const query = { segment: this.segment, after: this.lastSeq === 0 ? null : this.lastSeq };
    try {
      return await this.request({ method: 'GET', path, query });
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
    this.sessionId ??= decodeHeader(response.headers.get('X-Session-Id'));
    this.turnId ??= response.headers.get('X-Turn-Id') as TurnId;
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
    } else if (event?.event === 'agent.input.required') {
      this.interaction = event.interaction;
    } else if (event?.event === 'response.completed') {
      const { event: _, ...fields } = event;
      this.completed = fields;
    } else if (event?.event === 'error.occurred') {
      this.failure = event;
    }
    if (event !== null) this.source.watch?.(event);
    return { frame, event };
  }

  private isLost(error: unknown): boolean {
    const starting = this.source.start !== undefined && !this.accepted;
    if (starting) {
      const mayRepeat = this.source.start?.whenUnanswered !== 'give-up';
      return mayRepeat && error instanceof PlatformConnectionError;
    }
    const broken = error instanceof AgentStreamError ? error.code === 'truncated' : isPassing(error);
    return broken && this.attachPath() !== null;
  }

  /** null as long as it needs a turn that is not known. */
  private attachPath(): string | null {
    const { attachPath } = this.source;
    if (typeof attachPath === 'string') return attachPath;
    return this.turnId === null ? null : attachPath(this.turnId);
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
