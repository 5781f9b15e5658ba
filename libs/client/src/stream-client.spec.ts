import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import type { Frame } from '@platform/contracts';
import { FakeTimer } from '../test/fake-timer.ts';
import { failedTurnFrames, frame, sse, TURN_ID, turnFrames } from '../test/fixtures.ts';
import { answer, cut, startStream, TestServer } from '../test/test-server.ts';
import type { Handler, SeenRequest } from '../test/test-server.ts';
import { PlatformClient } from './client.ts';
import type { PlatformClientOptions } from './client.ts';
import {
  AgentStreamError,
  AgentStreamFailedError,
  PlatformConnectionError,
  PlatformError,
} from './errors.ts';
import type { AgentStream } from './stream-client.ts';

const HELLO = { contents: [{ type: 'text' as const, text: 'hello' }], turnId: TURN_ID };
const ATTACH_PATH = `/api/agents/a-1/turns/${TURN_ID}/stream`;
const WORDS = ['Good ', 'day, ', 'wörld ', '👋'];

let server: TestServer;
let timer: FakeTimer;
/** Emits the seq of each frame that a test has read. */
let handedOut: EventEmitter;

beforeEach(async () => {
  handedOut = new EventEmitter();
  timer = new FakeTimer({ limits: [60_000, 45_000] });
  server = await new TestServer().start();
});
afterEach(() => server.stop());

function client(options: Partial<PlatformClientOptions> = {}): PlatformClient {
  return new PlatformClient({ baseUrl: server.url, apiKey: 'pk_test', timer, random: () => 0.5, ...options });
}

async function framesOf(stream: AgentStream): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const each of stream.frames()) {
    frames.push(each);
    handedOut.emit(String(each.seq));
  }
  return frames;
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('It did not fail');
    },
    (error: unknown) => error,
  );
}

/** Handlers for the first, second, … request. */
function inTurn(...handlers: Handler[]): Handler {
  return (request, response) => {
    const next = handlers.shift();
    if (next === undefined) throw new Error(`Unexpected ${request.method} ${request.url}`);
    return next(request, response);
  };
}

function sends(frames: readonly Frame[], after = 0): Handler {
  return (_, response) => {
    startStream(response);
    response.end(sse(frames.slice(after)));
  };
}

/** Cuts once frame `seq` is read: bytes that a reader has not taken when its connection breaks are lost. */
function sendsThenCuts(text: string, seq = 0): Handler {
  return async (_, response) => {
    const read = seq === 0 ? null : once(handedOut, String(seq));
    startStream(response);
    response.write(text);
    await read;
    await cut(response);
  };
}

function sendsAndStaysOpen(text: string): Handler {
  return (_, response) => {
    startStream(response);
    response.write(text);
  };
}

const cutsAtOnce: Handler = (_, response) => void response.socket?.destroy();

function refuses(status: number, code: string, headers = {}): Handler {
  return (_, response) => answer(response, status, { success: false, message: `${code}!`, code }, headers);
}

const seen = () => server.seen.map(({ method, url }: SeenRequest) => `${method} ${url}`);

describe('a stream that goes well', () => {
  it('hands out the product events in order, and what they say about the turn', async () => {
    const frames = turnFrames(WORDS);
    server.handle = sends(frames);
    const stream = client().agents.chatStream('a-1', { ...HELLO, session_id: 's-1' });
    expect([stream.turnId, stream.sessionId, stream.segment, stream.requestId, stream.lastSeq]).toEqual([
      TURN_ID,
      null,
      null,
      null,
      0,
    ]);
    const events = [];
    for await (const event of stream) events.push(event.event);
    expect(events).toEqual([
      'session.started',
      'content.delta',
      'content.delta',
      'content.delta',
      'content.delta',
      'response.completed',
      'stream.ended',
    ]);
    expect([stream.sessionId, stream.segment, stream.requestId, stream.lastSeq]).toEqual([
      's-1',
      1,
      'req-1',
      frames.length,
    ]);
    expect(await stream.text()).toBe('Good day, wörld 👋');
    expect(timer.running).toBe(0);
  });

  it('sends what the protocol asks for', async () => {
    server.handle = sends(turnFrames(WORDS));
    await client()
      .agents.chatStream('a-1', { ...HELLO, stream: false, settings: { temperature: 0 } })
      .text();
    const [request] = server.seen;
    expect(seen()).toEqual(['POST /api/agents/a-1/chat']);
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer pk_test',
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'x-platform-stream-protocol': 'langgraph-v3',
    });
    expect(request?.body).toEqual({ ...HELLO, stream: true, settings: { temperature: 0 } });
  });

  it('makes a turnId when the caller gives none, a new one for each stream', async () => {
    server.handle = sends(turnFrames(WORDS));
    const { agents } = client();
    const streams = [undefined, null].map((turnId) =>
      agents.chatStream('a-1', { contents: HELLO.contents, turnId }),
    );
    for (const stream of streams) await stream.text();
    const sent = server.seen.map(({ body }) => (body as { turnId: string }).turnId);
    expect(sent).toEqual(streams.map(({ turnId }) => turnId));
    expect(new Set(sent).size).toBe(2);
    for (const turnId of sent) expect(turnId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('gives the raw frames of every method', async () => {
    server.handle = sends(turnFrames(WORDS));
    expect(await framesOf(client().agents.chatStream('a-1', HELLO))).toEqual(turnFrames(WORDS));
  });

  it('gives the fields of response.completed', async () => {
    server.handle = sends(turnFrames(WORDS));
    expect(await client().agents.chatStream('a-1', HELLO).finalResponse()).toEqual({
      session_id: 's-1',
      turnId: TURN_ID,
      messageId: 'm-1',
      tokens_used: 12,
      execution_time: 0.25,
      token_usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12, cost: 0 },
      finishReason: 'completed',
    });
  });

  it('is read once', async () => {
    server.handle = sends(turnFrames(WORDS));
    const stream = client().agents.chatStream('a-1', HELLO);
    await framesOf(stream);
    await expect(framesOf(stream)).rejects.toThrow('once');
    expect((await stream.finalResponse()).finishReason).toBe('completed');
    expect(server.seen).toHaveLength(1);
  });
});

describe('a stream that is refused', () => {
  it.each([
    ['missing', {}],
    ['different', { 'X-Platform-Stream-Protocol': 'langgraph-v2' }],
  ])('refuses an answer whose protocol header is %s, before its first frame', async (_, headers) => {
    const closed = new Promise<void>((done) => {
      server.handle = (_request, response) => {
        response.on('close', done);
        response.writeHead(200, { 'Content-Type': 'text/event-stream', ...headers });
        response.write(sse(frame(1, 'session-started')));
      };
    });
    const stream = client().agents.chatStream('a-1', HELLO);
    const error = await failureOf(framesOf(stream));
    expect(error).toBeInstanceOf(AgentStreamError);
    expect(error).toMatchObject({ code: 'protocol_mismatch', lastValidSeq: 0, turnId: TURN_ID });
    expect(stream.lastSeq).toBe(0);
    await closed;
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    [402, 'INSUFFICIENT_TOKENS'],
    [409, 'CONFLICT'],
    [426, 'STREAM_PROTOCOL_REQUIRED'],
    [503, 'UNAVAILABLE'],
  ])('throws what the service says, and asks once only (%d)', async (status, code) => {
    server.handle = refuses(status, code, { 'X-Request-Id': 'req-9', 'X-Turn-Id': TURN_ID });
    const error = await failureOf(client().agents.chatStream('a-1', HELLO).text());
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ status, code, message: `${code}!`, requestId: 'req-9', turnId: TURN_ID });
    expect(server.seen).toHaveLength(1);
  });

  it('throws at error.occurred where an answer was asked for, and hands it out where events are read', async () => {
    server.handle = sends(failedTurnFrames());
    const stream = client().agents.chatStream('a-1', HELLO);
    const events = [];
    for await (const { event } of stream) events.push(event);
    expect(events).toEqual(['session.started', 'content.delta', 'error.occurred', 'stream.ended']);
    for (const outcome of [stream.text(), stream.finalResponse()]) {
      const error = await failureOf(outcome);
      expect(error).toBeInstanceOf(AgentStreamFailedError);
      expect(error).toMatchObject({
        code: 'UNAVAILABLE',
        message: 'The model did not answer',
        turnId: TURN_ID,
        requestId: 'req-1',
        retryable: true,
        lastSeq: 5,
      });
    }
  });

  it.each([
    ['a gap', sse(frame(4, 'content-delta', { delta: 'x' })), 'sequence_gap'],
    ['an unknown method', sse(frame(3, 'x')).replace('custom:platform', 'values'), 'unsupported_method'],
    ['a broken frame', 'data: {"type":\n\n', 'malformed_frame'],
  ])('throws at %s after the good frames before it, without a new try', async (_, bad, code) => {
    const good = turnFrames(WORDS).slice(0, 2);
    server.handle = sendsAndStaysOpen(sse(good) + bad);
    const stream = client().agents.chatStream('a-1', HELLO);
    const got: Frame[] = [];
    const reading = (async () => {
      for await (const each of stream.frames()) got.push(each);
    })();
    expect(await failureOf(reading)).toMatchObject({
      name: 'AgentStreamError',
      code,
      lastValidSeq: 2,
      turnId: TURN_ID,
      requestId: 'req-1',
    });
    expect(got).toEqual(good);
    expect(server.seen).toHaveLength(1);
  });
});

describe('a connection that is lost', () => {
  const frames = turnFrames(WORDS);
  const bytesOf = (from: number, to: number) => sse(frames.slice(from, to));

  it('attaches again after the last whole frame', async () => {
    server.handle = inTurn(sendsThenCuts(bytesOf(0, 4) + bytesOf(4, 5).slice(0, 30), 4), sends(frames, 4));
    expect(await framesOf(client().agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(seen()).toEqual(['POST /api/agents/a-1/chat', `GET ${ATTACH_PATH}?segment=1&after=4`]);
    expect(server.seen[1]?.headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: 'Bearer pk_test',
      'x-platform-stream-protocol': 'langgraph-v3',
    });
    expect(timer.delays).toEqual([187.5]);
  });

  it('attaches again when the answer ends without stream-ended', async () => {
    server.handle = inTurn(sends(frames.slice(0, 3)), sends(frames, 3));
    expect(await client().agents.chatStream('a-1', HELLO).text()).toBe(WORDS.join(''));
    expect(server.seen).toHaveLength(2);
  });

  it('attaches to the turn from its start when no frame had come', async () => {
    server.handle = inTurn(sendsThenCuts(': hb\n\n'), sends(frames));
    expect(await framesOf(client().agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(seen()[1]).toBe(`GET ${ATTACH_PATH}`);
  });

  it('sends the same turn again when the start was not answered', async () => {
    server.handle = inTurn(cutsAtOnce, cutsAtOnce, sends(frames));
    expect(await framesOf(client().agents.chatStream('a-1', { contents: HELLO.contents }))).toEqual(frames);
    const [first, ...others] = server.seen.map(({ body }) => body);
    expect(others).toEqual([first, first]);
    expect(timer.delays).toEqual([187.5, 375]);
  });

  it('attaches when the repeated start is told that the turn is already running', async () => {
    server.handle = inTurn(cutsAtOnce, refuses(409, 'CONFLICT'), cutsAtOnce, sends(frames));
    expect(await framesOf(client().agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(seen().slice(2)).toEqual([`GET ${ATTACH_PATH}`, `GET ${ATTACH_PATH}`]);
  });

  it('reports the conflict when the repeated start conflicts with something else', async () => {
    server.handle = inTurn(cutsAtOnce, refuses(409, 'CONFLICT'), refuses(404, 'NOT_FOUND'));
    expect(await failureOf(client().agents.chatStream('a-1', HELLO).text())).toMatchObject({ status: 409 });
  });

  it('waits for a service that is away, as long as it asks for', async () => {
    server.handle = inTurn(
      sendsThenCuts(bytesOf(0, 2), 2),
      refuses(503, 'UNAVAILABLE', { 'Retry-After': '7' }),
      refuses(502, 'TOOL_ERROR'),
      sends(frames, 2),
    );
    expect(await framesOf(client().agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(timer.delays).toEqual([187.5, 7000, 750]);
  });

  it.each([401, 403, 404])('does not insist when attaching is refused (%d)', async (status) => {
    server.handle = inTurn(sendsThenCuts(bytesOf(0, 2)), refuses(status, 'X'));
    expect(await failureOf(client().agents.chatStream('a-1', HELLO).text())).toMatchObject({ status });
  });

  it('gives up after some attempts and says where the stream stands', async () => {
    server.handle = inTurn(sendsThenCuts(bytesOf(0, 2), 2), cutsAtOnce, cutsAtOnce, cutsAtOnce);
    const { agents } = client({ streams: { reconnect: { attempts: 3, maxDelayMs: 500 } } });
    const stream = agents.chatStream('a-1', HELLO);
    const error = await failureOf(framesOf(stream));
    expect(error).toBeInstanceOf(AgentStreamError);
    expect(error).toMatchObject({ code: 'truncated', lastValidSeq: 2, turnId: TURN_ID, requestId: 'req-1' });
    expect((error as Error).cause).toBeInstanceOf(PlatformConnectionError);
    expect(timer.delays).toEqual([187.5, 375, 375]);
  });

  it('says that there is no connection when no start was ever answered', async () => {
    server.handle = cutsAtOnce;
    const stream = client().agents.chatStream('a-1', HELLO, { reconnect: { attempts: 2 } });
    expect(await failureOf(stream.text())).toBeInstanceOf(PlatformConnectionError);
    expect(seen()).toEqual(Array(3).fill('POST /api/agents/a-1/chat'));
  });

  it('takes a long silence for a lost connection', async () => {
    let silent: ServerResponse | undefined;
    server.handle = inTurn(
      (_, response) => {
        silent = response;
        startStream(response);
        response.write(bytesOf(0, 3));
      },
      sends(frames, 3),
    );
    const { agents } = client({ streams: { idleTimeoutMs: 60 }, timer: undefined });
    expect(await framesOf(agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(silent?.closed).toBe(true);
    expect(seen()[1]).toBe(`GET ${ATTACH_PATH}?segment=1&after=3`);
  });

  it('misses no frame and doubles none, wherever the connection is cut (property)', async () => {
    const words = Array.from({ length: 40 }, (_, i) => (i % 5 === 0 ? `日本${i} ` : `word${i} `));
    const log = turnFrames(words);
    let cuts = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 5, maxLength: 12 }),
        async (sizes) => {
          const left = [...sizes];
          server.handle = async (request, response) => {
            const after = Number(request.query.get('after') ?? 0);
            const bytes = Buffer.from(sse(log.slice(after)));
            const size = left.shift();
            startStream(response);
            if (size === undefined || size >= bytes.length) return void response.end(bytes);
            cuts++;
            response.write(bytes.subarray(0, size));
            await cut(response);
          };
          const stream = client().agents.chatStream('a-1', HELLO, { reconnect: { attempts: 20 } });
          expect(await framesOf(stream)).toEqual(log);
        },
      ),
      { numRuns: 60 },
    );
    expect(cuts).toBeGreaterThan(100);
  });
});

describe('a reader who leaves', () => {
  function endless(): { closed: Promise<void> } {
    return {
      closed: new Promise((done) => {
        server.handle = (_, response) => {
          response.on('close', done);
          startStream(response);
          response.write(sse(turnFrames(WORDS).slice(0, 4)));
        };
      }),
    };
  }

  it('closes the connection and cancels nothing', async () => {
    const { closed } = endless();
    const stream = client().agents.chatStream('a-1', HELLO);
    for await (const { event } of stream) if (event === 'content.delta') break;
    await closed;
    expect(stream.lastSeq).toBe(3);
    expect(seen()).toEqual(['POST /api/agents/a-1/chat']);
    expect(timer.running).toBe(0);
  });

  it('can give up by a signal while it reads', async () => {
    const { closed } = endless();
    const leaving = new AbortController();
    const reading = (async () => {
      for await (const { event } of client().agents.chatStream('a-1', HELLO, { signal: leaving.signal })) {
        if (event === 'content.delta') leaving.abort(new Error('Enough'));
      }
    })();
    await expect(reading).rejects.toThrow('Enough');
    await closed;
    expect(server.seen).toHaveLength(1);
  });

  it('can give up by a signal while it waits for the next attempt', async () => {
    server.handle = cutsAtOnce;
    const leaving = new AbortController();
    const patient = { after: () => (leaving.abort(new Error('Enough')), () => undefined) };
    const stream = client({ timeoutMs: 0 }).agents.chatStream('a-1', HELLO, {
      signal: leaving.signal,
      timer: patient,
    });
    await expect(stream.text()).rejects.toThrow('Enough');
    expect(server.seen).toHaveLength(1);
  });

  it('sends nothing when the signal is aborted before', async () => {
    const stream = client().agents.chatStream('a-1', HELLO, {
      signal: AbortSignal.abort(new Error('Enough')),
    });
    await expect(stream.text()).rejects.toThrow('Enough');
    expect(server.seen).toHaveLength(0);
  });
});

describe('attachTurn', () => {
  it('reads the latest segment from its start', async () => {
    server.handle = sends(turnFrames(WORDS));
    const stream = client().agents.attachTurn('a-1', TURN_ID);
    expect(await stream.text()).toBe(WORDS.join(''));
    expect(seen()).toEqual([`GET ${ATTACH_PATH}`]);
  });

  it('reads on from a position, and again from where it was cut', async () => {
    const frames = turnFrames(WORDS);
    server.handle = inTurn(sendsThenCuts(sse(frames.slice(4, 5), 2), 5), sends(frames, 5));
    const stream = client().agents.attachTurn('a-1', TURN_ID, { segment: 2, after: 4 });
    expect(await framesOf(stream)).toEqual(frames.slice(4));
    expect(seen()).toEqual([`GET ${ATTACH_PATH}?segment=2&after=4`, `GET ${ATTACH_PATH}?segment=2&after=5`]);
  });

  it('learns its segment from the ids when it begins in the middle', async () => {
    const frames = turnFrames(WORDS);
    server.handle = inTurn(sendsThenCuts(sse(frames.slice(4, 5), 3), 5), sends(frames, 5));
    const stream = client().agents.attachTurn('a-1', TURN_ID, { after: 4 });
    await framesOf(stream);
    expect(seen()[1]).toBe(`GET ${ATTACH_PATH}?segment=3&after=5`);
  });

  it('survives a first connection that fails, but not an unknown turn', async () => {
    server.handle = inTurn(cutsAtOnce, refuses(404, 'NOT_FOUND'));
    expect(await failureOf(client().agents.attachTurn('a-1', TURN_ID).text())).toMatchObject({ status: 404 });
  });
});
