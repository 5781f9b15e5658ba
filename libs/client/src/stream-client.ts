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
import { DEFAULT_MAX_RETRIES, Retry } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import { AgentStreamDecoder } from './stream-decoder.ts';
import { decodeHeader } from './url.ts';

/** Sends a request and returns a successful response with its body unread. Throws the errors of PlatformClient. */
export type StreamTransport = (request: ApiRequest) => Promise<Response>;

/** The POST request that starts a stream. */
export interface StreamStart {
  path: string;
  body: unknown;
  /**
   * What to do if there is no response. `retry-or-attach` (the default) sends the request again and treats a 409 as proof
   * that the first request arrived; `retry` treats a 409 as an error; `fail` is for requests that the service would not
   * recognize as a repetition.
   */
  onNoResponse?: 'retry-or-attach' | 'retry' | 'fail' | undefined;
}

export interface AttachPosition {
  /** Default: the latest segment of the turn. */
  segment?: number | undefined;
  /** `seq` of the last frame that the reader already has. Default: the start of the segment. */
  after?: number | undefined;
}

/** What a stream is read from: a POST request that starts it, or only its recorded frames. */
export interface StreamSource<TurnId extends string | null = string> extends AttachPosition {
  /** If null, it is taken from the first response. */
  turnId: TurnId;
  /** Path that accepts `segment` and `after` and returns the recorded frames, followed by new ones. */
  attachPath: string | ((turnId: string) => string);
  start?: StreamStart | undefined;
  /** Called with each event before the reader receives it. */
  onEvent?: ((event: ProductEvent) => void) | undefined;
}

export interface StreamOptions extends RetryOptions {
  /** Closes the connection. The turn continues. */
  signal?: AbortSignal | undefined;
  /** How often the start is repeated after a response such as 503. Default: that of the client. */
  maxRetries?: number | undefined;
  /** Milliseconds without data after which the connection is considered lost. Heartbeats arrive every 10 s. Default 45,000. */
  idleTimeoutMs?: number | undefined;
}

/** One segment of a turn. It can be read once: as product events, as raw frames, or as its final text or response. */
export interface AgentStream<TurnId extends string | null = string> extends AsyncIterable<ProductEvent> {
  readonly turnId: TurnId;
  /** Set when the service has responded. */
  readonly sessionId: string | null;
  readonly segment: number | null;
  /** `X-Request-Id` of the latest response. */
  readonly requestId: string | null;
  /** `seq` of the last frame that was read. */
  readonly lastSeq: number;
  /** The question with which the segment ended, or null. Answer it with `resume`. */
  readonly interaction: Interaction | null;
  /** Yields the raw frames of all methods. */
  frames(): AsyncGenerator<Frame, void, undefined>;
  /** Reads to the end if necessary and returns the generated text. Throws AgentStreamFailedError if the turn failed. */
  text(): Promise<string>;
  /** Reads to the end if necessary and returns the fields of `response.completed`. Throws the same errors as `text`. */
  finalResponse(): Promise<ProductEventFields['response.completed']>;
}

const IDLE_TIMEOUT_MS = 45_000;

/** Reads the stream of a turn and reconnects when the connection is lost. Every frame is delivered exactly once. */
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
  private state: 'unread' | 'reading' | 'done' = 'unread';
  /** Whether the service has accepted the turn. From then on, only its recorded stream is read. */
  private accepted = false;
  private isStartSent = false;
  private conflict: PlatformError | null = null;
  private content = '';
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
    return this.content;
  }

  async finalResponse(): Promise<ProductEventFields['response.completed']> {
    await this.drain();
    if (this.completed !== null) return this.completed;
    throw this.toStreamError(
      new AgentStreamError('truncated', 'The stream ended without response-completed', this.lastSeq),
    );
  }

  private async drain(): Promise<void> {
    if (this.state !== 'done') for await (const _ of this.read());
    if (this.failure !== null) throw new AgentStreamFailedError({ ...this.failure, lastSeq: this.lastSeq });
  }

  private async *read(): AsyncGenerator<Reading, void, undefined> {
    if (this.state !== 'unread') throw new TypeError('A stream can be read only once');
    this.state = 'reading';
    for (let failures = 0; ;) {
      const seqBefore = this.lastSeq;
      try {
        yield* this.readConnection(await this.connect());
        this.state = 'done';
        return;
      } catch (error) {
        this.options.signal?.throwIfAborted();
        failures = this.lastSeq > seqBefore ? 1 : failures + 1;
        if (!this.canReconnect(error, failures)) throw this.toStreamError(error);
        await this.retry.wait(failures, error, this.options.signal);
      }
    }
  }

  private async *readConnection(response: Response): AsyncGenerator<Reading, void, undefined> {
    const reader = this.openBody(response).getReader();
    const decoder = new AgentStreamDecoder({ after: this.lastSeq });
    const { signal } = this.options;
    const close = () => void reader.cancel().catch(() => undefined);
    signal?.addEventListener('abort', close);
    try {
      signal?.throwIfAborted();
      while (!decoder.ended) {
        const { frames, violation } = decodeChunk(decoder, await this.readChunk(reader));
        for (const frame of frames) yield this.applyFrame(frame, decoder);
        if (violation !== null) throw violation;
      }
    } finally {
      signal?.removeEventListener('abort', close);
      // Also runs if the consumer leaves its loop early. The turn continues.
      close();
    }
  }

  /** Returns the next bytes, or null if the connection has ended or the idle timeout has passed. */
  private async readChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
    // Cancelling completes the pending read with `done`.
    const stopTimer = this.retry.timer.after(this.options.idleTimeoutMs ?? IDLE_TIMEOUT_MS, () => {
      reader.cancel().catch(() => undefined);
    });
    try {
      const { value, done } = await reader.read();
      return done ? null : value;
    } catch (cause) {
      throw new PlatformConnectionError(`The connection was lost after frame ${this.lastSeq}`, { cause });
    } finally {
      stopTimer();
    }
  }

  private async connect(): Promise<Response> {
    const { start } = this.source;
    const isRetry = this.isStartSent;
    if (start !== undefined && !this.accepted) {
      this.isStartSent = true;
      try {
        return await this.request({ method: 'POST', path: start.path, body: start.body });
      } catch (error) {
        const { onNoResponse = 'retry-or-attach' } = start;
        if (!isRetry || onNoResponse !== 'retry-or-attach' || !isStatus(error, 409)) throw error;
        // The first request did arrive: the turn is running, or its session is busy with another turn.
        this.conflict = error;
        this.accepted = true;
      }
    }
    const path = this.getAttachPath();
    if (path === null) throw new TypeError('The turn id of this stream is not known');
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

  private openBody(response: Response): ReadableStream<Uint8Array> {
    this.requestId = response.headers.get('X-Request-Id') ?? this.requestId;
    this.sessionId ??= decodeHeader(response.headers.get('X-Session-Id'));
    this.turnId ??= response.headers.get('X-Turn-Id') as TurnId;
    const protocol = response.headers.get(STREAM_PROTOCOL_HEADER);
    if (protocol === STREAM_PROTOCOL && response.body !== null) return response.body;
    void response.body?.cancel();
    const actual = protocol === null ? 'the header is missing' : `it is "${protocol}"`;
    const message = `${STREAM_PROTOCOL_HEADER} of the response must be "${STREAM_PROTOCOL}", but ${actual}`;
    throw new AgentStreamError('protocol_mismatch', message, this.lastSeq);
  }

  private applyFrame(frame: Frame, decoder: AgentStreamDecoder): Reading {
    this.lastSeq = frame.seq;
    this.segment ??= decoder.segment;
    const event = toProductEvent(frame);
    if (event?.event === 'session.started') {
      this.sessionId = event.sessionId;
      this.segment = event.segment;
    } else if (event?.event === 'content.delta') {
      this.content += event.delta;
    } else if (event?.event === 'agent.input.required') {
      this.interaction = event.interaction;
    } else if (event?.event === 'response.completed') {
      const { event: _, ...fields } = event;
      this.completed = fields;
    } else if (event?.event === 'error.occurred') {
      this.failure = event;
    }
    if (event !== null) this.source.onEvent?.(event);
    return { frame, event };
  }

  private canReconnect(error: unknown, failures: number): boolean {
    const { start } = this.source;
    if (start !== undefined && !this.accepted) {
      if (start.onNoResponse === 'fail') return false;
      // A service that responds is reachable: the start is given up like any other call.
      const { maxRetries = DEFAULT_MAX_RETRIES } = this.options;
      const attempts = error instanceof PlatformConnectionError ? undefined : maxRetries;
      return this.retry.isTransient(error) && this.retry.allows(failures, attempts);
    }
    const isLost =
      error instanceof AgentStreamError ? error.code === 'truncated' : this.retry.isTransient(error);
    return isLost && this.getAttachPath() !== null && this.retry.allows(failures);
  }

  /** Returns null if the path needs a turn id that is not known yet. */
  private getAttachPath(): string | null {
    const { attachPath } = this.source;
    if (typeof attachPath === 'string') return attachPath;
    return this.turnId === null ? null : attachPath(this.turnId);
  }

  // All stream failures become one error type with the ids that a bug report needs.
  private toStreamError(error: unknown): unknown {
    const failure =
      error instanceof PlatformConnectionError && this.accepted
        ? new AgentStreamError('truncated', error.message, this.lastSeq, { cause: error })
        : error;
    if (failure instanceof AgentStreamError) {
      failure.turnId = this.turnId;
      failure.requestId = this.requestId;
    }
    return failure;
  }
}

interface Reading {
  frame: Frame;
  event: ProductEvent | null;
}

// Frames before a violation are valid and are delivered before the violation is thrown.
function decodeChunk(
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
