import { frame, failedTurnFrames, sse, TURN_ID, turnFrames } from '../test/fixtures.ts';
import {
  cutsAtOnce,
  failureOf,
  HELLO,
  refuses,
  sends,
  sendsAndStaysOpen,
  StreamHarness,
  WORDS,
} from '../test/stream-harness.ts';
import { startStream } from '../test/test-server.ts';
import type { Frame } from '@platform/contracts';
import { AgentStreamError, AgentStreamFailedError, PlatformError } from './errors.ts';

let harness: StreamHarness;

beforeEach(async () => {
  harness = new StreamHarness();
  await harness.server.start();
});
afterEach(() => harness.server.stop());

describe('a successful stream', () => {
  it('yields the product events in order and describes the turn', async () => {
    const frames = turnFrames(WORDS);
    harness.server.handle = sends(frames);
    const stream = harness.client().agents.chatStream('a-1', { ...HELLO, session_id: 's-1' });
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
    expect(harness.timer.running).toBe(0);
  });

  it('sends the headers and the body that the protocol requires', async () => {
    harness.server.handle = sends(turnFrames(WORDS));
    await harness
      .client()
      .agents.chatStream('a-1', { ...HELLO, stream: false, settings: { temperature: 0 } })
      .text();
    const [request] = harness.server.seen;
    expect(harness.seen()).toEqual(['POST /api/agents/a-1/chat']);
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer pk_test',
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'x-platform-stream-protocol': 'langgraph-v3',
    });
    expect(request?.body).toEqual({ ...HELLO, stream: true, settings: { temperature: 0 } });
  });

  it('generates a turnId for each stream if the request has none', async () => {
    harness.server.handle = sends(turnFrames(WORDS));
    const { agents } = harness.client();
    const streams = [undefined, null].map((turnId) =>
      agents.chatStream('a-1', { contents: HELLO.contents, turnId }),
    );
    for (const stream of streams) await stream.text();
    const sent = harness.server.seen.map(({ body }) => (body as { turnId: string }).turnId);
    expect(sent).toEqual(streams.map(({ turnId }) => turnId));
    expect(new Set(sent).size).toBe(2);
    for (const turnId of sent) expect(turnId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('yields the raw frames of all methods', async () => {
    harness.server.handle = sends(turnFrames(WORDS));
    expect(await harness.framesOf(harness.client().agents.chatStream('a-1', HELLO))).toEqual(
      turnFrames(WORDS),
    );
  });

  it('returns the fields of response.completed', async () => {
    harness.server.handle = sends(turnFrames(WORDS));
    expect(await harness.client().agents.chatStream('a-1', HELLO).finalResponse()).toEqual({
      session_id: 's-1',
      turnId: TURN_ID,
      messageId: 'm-1',
      tokens_used: 12,
      execution_time: 0.25,
      token_usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12, cost: 0 },
      finishReason: 'completed',
    });
  });

  it('can be read once', async () => {
    harness.server.handle = sends(turnFrames(WORDS));
    const stream = harness.client().agents.chatStream('a-1', HELLO);
    await harness.framesOf(stream);
    await expect(harness.framesOf(stream)).rejects.toThrow('once');
    expect((await stream.finalResponse()).finishReason).toBe('completed');
    expect(harness.server.seen).toHaveLength(1);
  });
});

describe('a rejected stream', () => {
  it.each([
    ['missing', {}],
    ['different', { 'X-Platform-Stream-Protocol': 'langgraph-v2' }],
  ])('rejects a response whose protocol header is %s, before the first frame', async (_, headers) => {
    const closed = new Promise<void>((done) => {
      harness.server.handle = (_request, response) => {
        response.on('close', done);
        response.writeHead(200, { 'Content-Type': 'text/event-stream', ...headers });
        response.write(sse(frame(1, 'session-started')));
      };
    });
    const stream = harness.client().agents.chatStream('a-1', HELLO);
    const error = await failureOf(harness.framesOf(stream));
    expect(error).toBeInstanceOf(AgentStreamError);
    expect(error).toMatchObject({ code: 'protocol_mismatch', lastValidSeq: 0, turnId: TURN_ID });
    expect(stream.lastSeq).toBe(0);
    await closed;
    expect(harness.server.seen).toHaveLength(1);
  });

  it.each([
    [402, 'INSUFFICIENT_TOKENS'],
    [409, 'CONFLICT'],
    [426, 'STREAM_PROTOCOL_REQUIRED'],
  ])('throws the error of the service without a retry (%d)', async (status, code) => {
    harness.server.handle = refuses(status, code, { 'X-Request-Id': 'req-9', 'X-Turn-Id': TURN_ID });
    const error = await failureOf(harness.client().agents.chatStream('a-1', HELLO).text());
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ status, code, message: `${code}!`, requestId: 'req-9', turnId: TURN_ID });
    expect(harness.server.seen).toHaveLength(1);
  });

  it('throws on error.occurred in text(), and yields it to readers of events', async () => {
    harness.server.handle = sends(failedTurnFrames());
    const stream = harness.client().agents.chatStream('a-1', HELLO);
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
  ])('throws on %s after the valid frames, without a retry', async (_, bad, code) => {
    const good = turnFrames(WORDS).slice(0, 2);
    harness.server.handle = sendsAndStaysOpen(sse(good) + bad);
    const stream = harness.client().agents.chatStream('a-1', HELLO);
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
    expect(harness.server.seen).toHaveLength(1);
  });
});

describe('a reader that leaves', () => {
  function endless(): { closed: Promise<void> } {
    return {
      closed: new Promise((done) => {
        harness.server.handle = (_, response) => {
          response.on('close', done);
          startStream(response);
          response.write(sse(turnFrames(WORDS).slice(0, 4)));
        };
      }),
    };
  }

  it('closes the connection and cancels nothing', async () => {
    const { closed } = endless();
    const stream = harness.client().agents.chatStream('a-1', HELLO);
    for await (const { event } of stream) if (event === 'content.delta') break;
    await closed;
    expect(stream.lastSeq).toBe(3);
    expect(harness.seen()).toEqual(['POST /api/agents/a-1/chat']);
    expect(harness.timer.running).toBe(0);
  });

  it('can abort while it reads', async () => {
    const { closed } = endless();
    const leaving = new AbortController();
    const reading = (async () => {
      for await (const { event } of harness
        .client()
        .agents.chatStream('a-1', HELLO, { signal: leaving.signal, reconnect: { attempts: 0 } })) {
        if (event === 'content.delta') leaving.abort(new Error('Enough'));
      }
    })();
    await expect(reading).rejects.toThrow('Enough');
    await closed;
    expect(harness.server.seen).toHaveLength(1);
  });

  it('can abort while it waits for a retry', async () => {
    harness.server.handle = cutsAtOnce;
    const leaving = new AbortController();
    const patient = { after: () => (leaving.abort(new Error('Enough')), () => undefined) };
    const stream = harness.client({ timeoutMs: 0 }).agents.chatStream('a-1', HELLO, {
      signal: leaving.signal,
      timer: patient,
    });
    await expect(stream.text()).rejects.toThrow('Enough');
    expect(harness.server.seen).toHaveLength(1);
  });

  it('sends nothing if the signal is already aborted', async () => {
    const stream = harness.client().agents.chatStream('a-1', HELLO, {
      signal: AbortSignal.abort(new Error('Enough')),
    });
    await expect(stream.text()).rejects.toThrow('Enough');
    expect(harness.server.seen).toHaveLength(0);
  });
});
