import { EventEmitter, once } from 'node:events';
import type { Frame } from '@platform/contracts';
import { PlatformClient } from '../src/client.ts';
import type { PlatformClientOptions } from '../src/client.ts';
import type { AgentStream } from '../src/stream-client.ts';
import { FakeTimer } from './fake-timer.ts';
import { sse, TURN_ID } from './fixtures.ts';
import { answer, cut, startStream, TestServer } from './test-server.ts';
import type { Handler } from './test-server.ts';

export const HELLO = { contents: [{ type: 'text' as const, text: 'hello' }], turnId: TURN_ID };
export const ATTACH_PATH = `/api/agents/a-1/turns/${TURN_ID}/stream`;
export const WORDS = ['Good ', 'day, ', 'wörld ', '👋'];

/** A server, a fake timer, and a reader whose progress the server can await. Create one per test. */
export class StreamHarness {
  readonly server = new TestServer();
  readonly timer = new FakeTimer({ limits: [60_000, 80_000, 45_000] });
  /** Emits the `seq` of each frame that was read. */
  private readonly readFrames = new EventEmitter();

  client(options: Partial<PlatformClientOptions> = {}): PlatformClient {
    const { server, timer } = this;
    return new PlatformClient({
      baseUrl: server.url,
      apiKey: 'pk_test',
      timer,
      random: () => 0.5,
      ...options,
    });
  }

  async framesOf(stream: AgentStream<string | null>): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const each of stream.frames()) {
      frames.push(each);
      this.readFrames.emit(String(each.seq));
    }
    return frames;
  }

  /** Cuts the connection when frame `seq` has been read, because unread bytes are lost when a connection breaks. */
  sendsThenCuts(text: string, seq = 0): Handler {
    return async (_, response) => {
      const read = seq === 0 ? null : once(this.readFrames, String(seq));
      startStream(response);
      response.write(text);
      await read;
      await cut(response);
    };
  }

  /** Returns the method and URL of all requests, in order. */
  seen(): string[] {
    return this.server.seen.map(({ method, url }) => `${method} ${url}`);
  }
}

/** Combines handlers for the first, second, … request. */
export function inTurn(...handlers: Handler[]): Handler {
  return (request, response) => {
    const next = handlers.shift();
    if (next === undefined) throw new Error(`Unexpected ${request.method} ${request.url}`);
    return next(request, response);
  };
}

export function sends(frames: readonly Frame[], after = 0): Handler {
  return (_, response) => {
    startStream(response);
    response.end(sse(frames.slice(after)));
  };
}

export function sendsAndStaysOpen(text: string): Handler {
  return (_, response) => {
    startStream(response);
    response.write(text);
  };
}

export const cutsAtOnce: Handler = (_, response) => void response.socket?.destroy();

export function refuses(status: number, code: string, headers = {}): Handler {
  return (_, response) => answer(response, status, { success: false, message: `${code}!`, code }, headers);
}

export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: unknown) => error,
  );
}
