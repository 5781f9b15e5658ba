import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { sse, TURN_ID, turnFrames } from '../test/fixtures.ts';
import {
  ATTACH_PATH,
  cutsAtOnce,
  failureOf,
  HELLO,
  inTurn,
  refuses,
  sends,
  StreamHarness,
  WORDS,
} from '../test/stream-harness.ts';
import { cut, startStream } from '../test/test-server.ts';
import { AgentStreamError, PlatformConnectionError } from './errors.ts';

let harness: StreamHarness;

beforeEach(async () => {
  harness = new StreamHarness();
  await harness.server.start();
});
afterEach(() => harness.server.stop());

describe('a lost connection', () => {
  const frames = turnFrames(WORDS);
  const bytesOf = (from: number, to: number) => sse(frames.slice(from, to));

  it('reattaches after the last complete frame', async () => {
    harness.server.handle = inTurn(
      harness.sendsThenCuts(bytesOf(0, 4) + bytesOf(4, 5).slice(0, 30), 4),
      sends(frames, 4),
    );
    expect(await harness.framesOf(harness.client().agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(harness.seen()).toEqual(['POST /api/agents/a-1/chat', `GET ${ATTACH_PATH}?segment=1&after=4`]);
    expect(harness.server.seen[1]?.headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: 'Bearer pk_test',
      'x-platform-stream-protocol': 'langgraph-v3',
    });
    expect(harness.timer.delays).toEqual([187.5]);
  });

  it('reattaches if the response ends without stream-ended', async () => {
    harness.server.handle = inTurn(sends(frames.slice(0, 3)), sends(frames, 3));
    expect(await harness.client().agents.chatStream('a-1', HELLO).text()).toBe(WORDS.join(''));
    expect(harness.server.seen).toHaveLength(2);
  });

  it('attaches from the start if no frame was received', async () => {
    harness.server.handle = inTurn(harness.sendsThenCuts(': hb\n\n'), sends(frames));
    expect(await harness.framesOf(harness.client().agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(harness.seen()[1]).toBe(`GET ${ATTACH_PATH}`);
  });

  it('repeats the start with the same turn id if there was no response', async () => {
    harness.server.handle = inTurn(cutsAtOnce, cutsAtOnce, sends(frames));
    expect(
      await harness.framesOf(harness.client().agents.chatStream('a-1', { contents: HELLO.contents })),
    ).toEqual(frames);
    const [first, ...others] = harness.server.seen.map(({ body }) => body);
    expect(others).toEqual([first, first]);
    expect(harness.timer.delays).toEqual([187.5, 375]);
  });

  it('attaches if the repeated start fails because the turn is running', async () => {
    harness.server.handle = inTurn(cutsAtOnce, refuses(409, 'CONFLICT'), cutsAtOnce, sends(frames));
    expect(await harness.framesOf(harness.client().agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(harness.seen().slice(2)).toEqual([`GET ${ATTACH_PATH}`, `GET ${ATTACH_PATH}`]);
  });

  it('reports the conflict when the repeated start conflicts with something else', async () => {
    harness.server.handle = inTurn(cutsAtOnce, refuses(409, 'CONFLICT'), refuses(404, 'NOT_FOUND'));
    expect(await failureOf(harness.client().agents.chatStream('a-1', HELLO).text())).toMatchObject({
      status: 409,
    });
  });

  it('waits as long as an unavailable service requires', async () => {
    harness.server.handle = inTurn(
      harness.sendsThenCuts(bytesOf(0, 2), 2),
      refuses(503, 'UNAVAILABLE', { 'Retry-After': '7' }),
      refuses(502, 'TOOL_ERROR'),
      sends(frames, 2),
    );
    expect(await harness.framesOf(harness.client().agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(harness.timer.delays).toEqual([187.5, 7000, 750]);
  });

  it.each([401, 403, 404])('does not retry if attaching is rejected (%d)', async (status) => {
    harness.server.handle = inTurn(harness.sendsThenCuts(bytesOf(0, 2)), refuses(status, 'X'));
    expect(await failureOf(harness.client().agents.chatStream('a-1', HELLO).text())).toMatchObject({
      status,
    });
  });

  it('renews a token that expired while the stream ran', async () => {
    harness.server.handle = inTurn(
      harness.sendsThenCuts(bytesOf(0, 2), 2),
      refuses(401, 'UNAUTHORIZED'),
      sends(frames, 2),
    );
    const { agents } = harness.client({
      apiKey: undefined,
      accessToken: 'old',
      onUnauthorized: async () => 'new',
    });
    expect(await harness.framesOf(agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(harness.server.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer old',
      'Bearer new',
    ]);
  });

  it('fails after the last retry and reports the position', async () => {
    harness.server.handle = inTurn(
      harness.sendsThenCuts(bytesOf(0, 2), 2),
      cutsAtOnce,
      cutsAtOnce,
      cutsAtOnce,
    );
    const { agents } = harness.client({ streams: { reconnect: { attempts: 3, maxDelayMs: 500 } } });
    const stream = agents.chatStream('a-1', HELLO);
    const error = await failureOf(harness.framesOf(stream));
    expect(error).toBeInstanceOf(AgentStreamError);
    expect(error).toMatchObject({ code: 'truncated', lastValidSeq: 2, turnId: TURN_ID, requestId: 'req-1' });
    expect((error as Error).cause).toBeInstanceOf(PlatformConnectionError);
    expect(harness.timer.delays).toEqual([187.5, 375, 375]);
  });

  it('resets the count of failures after each frame', async () => {
    const cutAfter = (seq: number) => harness.sendsThenCuts(bytesOf(seq - 1, seq), seq);
    harness.server.handle = inTurn(
      cutAfter(1),
      cutAfter(2),
      cutsAtOnce,
      cutAfter(3),
      cutAfter(4),
      sends(frames, 4),
    );
    const stream = harness.client().agents.chatStream('a-1', HELLO, { reconnect: { attempts: 2 } });
    expect(await harness.framesOf(stream)).toEqual(frames);
    expect(harness.timer.delays).toEqual([187.5, 187.5, 375, 187.5, 187.5]);
  });

  it('throws PlatformConnectionError if no start had a response', async () => {
    harness.server.handle = cutsAtOnce;
    const stream = harness.client().agents.chatStream('a-1', HELLO, { reconnect: { attempts: 2 } });
    expect(await failureOf(stream.text())).toBeInstanceOf(PlatformConnectionError);
    expect(harness.seen()).toEqual(Array(3).fill('POST /api/agents/a-1/chat'));
  });

  it('treats the idle timeout as a lost connection', async () => {
    let silent: ServerResponse | undefined;
    harness.server.handle = inTurn(
      (_, response) => {
        silent = response;
        startStream(response);
        response.write(bytesOf(0, 3));
      },
      sends(frames, 3),
    );
    const { agents } = harness.client({ streams: { idleTimeoutMs: 60 }, timer: undefined });
    expect(await harness.framesOf(agents.chatStream('a-1', HELLO))).toEqual(frames);
    expect(silent?.closed).toBe(true);
    expect(harness.seen()[1]).toBe(`GET ${ATTACH_PATH}?segment=1&after=3`);
  });

  it('delivers every frame once, wherever the connection is cut (property)', async () => {
    const words = Array.from({ length: 40 }, (_, i) => (i % 5 === 0 ? `日本${i} ` : `word${i} `));
    const log = turnFrames(words);
    let cuts = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 1500 }), { minLength: 5, maxLength: 12 }),
        async (sizes) => {
          const left = [...sizes];
          harness.server.handle = async (request, response) => {
            const after = Number(request.query.get('after') ?? 0);
            const bytes = Buffer.from(sse(log.slice(after)));
            const size = left.shift();
            startStream(response);
            if (size === undefined || size >= bytes.length) return void response.end(bytes);
            cuts++;
            response.write(bytes.subarray(0, size));
            await cut(response);
          };
          const stream = harness.client().agents.chatStream('a-1', HELLO, { reconnect: { attempts: 20 } });
          expect(await harness.framesOf(stream)).toEqual(log);
        },
      ),
      { numRuns: 60 },
    );
    expect(cuts).toBeGreaterThan(100);
  });
});

describe('attachTurn', () => {
  it('reads the latest segment from its start', async () => {
    harness.server.handle = sends(turnFrames(WORDS));
    const stream = harness.client().agents.attachTurn('a-1', TURN_ID);
    expect(await stream.text()).toBe(WORDS.join(''));
    expect(harness.seen()).toEqual([`GET ${ATTACH_PATH}`]);
  });

  it('continues from a position, and reconnects after the last frame', async () => {
    const frames = turnFrames(WORDS);
    harness.server.handle = inTurn(harness.sendsThenCuts(sse(frames.slice(4, 5), 2), 5), sends(frames, 5));
    const stream = harness.client().agents.attachTurn('a-1', TURN_ID, { segment: 2, after: 4 });
    expect(await harness.framesOf(stream)).toEqual(frames.slice(4));
    expect(harness.seen()).toEqual([
      `GET ${ATTACH_PATH}?segment=2&after=4`,
      `GET ${ATTACH_PATH}?segment=2&after=5`,
    ]);
  });

  it('takes its segment from the SSE ids if it begins in the middle', async () => {
    const frames = turnFrames(WORDS);
    harness.server.handle = inTurn(harness.sendsThenCuts(sse(frames.slice(4, 5), 3), 5), sends(frames, 5));
    const stream = harness.client().agents.attachTurn('a-1', TURN_ID, { after: 4 });
    await harness.framesOf(stream);
    expect(harness.seen()[1]).toBe(`GET ${ATTACH_PATH}?segment=3&after=5`);
  });

  it('retries a first connection that fails, but not an unknown turn', async () => {
    harness.server.handle = inTurn(cutsAtOnce, refuses(404, 'NOT_FOUND'));
    expect(await failureOf(harness.client().agents.attachTurn('a-1', TURN_ID).text())).toMatchObject({
      status: 404,
    });
  });
});
